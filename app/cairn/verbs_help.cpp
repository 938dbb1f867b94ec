// completion and man: both are made from the same description that parses the command line, so they cannot go
// stale.

#include "app/cairn/cli.h"
#include "core/handbook/handbook.h"
#include "core/model/vocabulary.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace cairn::cli {

namespace {

std::vector<const CLI::App*> subcommands(const CLI::App& app)
{
    std::vector<const CLI::App*> list;
    for (const CLI::App* sub : app.get_subcommands(nullptr))
        list.push_back(sub);
    return list;
}

std::string optionNames(const CLI::App& app)
{
    std::string text;
    for (const CLI::Option* option : app.get_options())
        for (const auto& name : option->get_lnames())
            text += " --" + name;
    return text;
}

std::string bashCompletion(const CLI::App& app)
{
    std::string verbs;
    std::string cases;
    for (const CLI::App* sub : subcommands(app)) {
        verbs += (verbs.empty() ? "" : " ") + sub->get_name();
        std::string words = optionNames(*sub);
        for (const CLI::App* inner : subcommands(*sub))
            words += " " + inner->get_name() + optionNames(*inner);
        if (sub->get_name() == "help")
            for (const HandbookPage& page : handbookPages())
                words += " " + std::string(page.name.substr(page.name.rfind('/') + 1));
        cases += "        " + sub->get_name() + ") words=\"" + words + "\" ;;\n";
    }
    return "# bash completion for cairn: source <(cairn completion)\n"
           "_cairn() {\n"
           "    local current=\"${COMP_WORDS[COMP_CWORD]}\" verb=\"\" words=\"\" word\n"
           "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
           "        case \" "
        + verbs
        + " \" in *\" $word \"*) verb=\"$word\"; break ;; esac\n"
          "    done\n"
          "    case \"$verb\" in\n"
          "        \"\") words=\""
        + verbs + optionNames(app) + "\" ;;\n" + cases
        + "    esac\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
          "    [ -n \"${COMPREPLY[0]}\" ] || COMPREPLY=($(compgen -f -- \"$current\"))\n"
          "}\n"
          "complete -F _cairn cairn";
}

std::string escaped(std::string text)
{
    // A line that begins with one of these would be a request to roff.
    std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
    for (const char c : text) {
        if (c == '\\' || c == '-')
            out += '\\';
        out += c;
    }
    return out;
}

std::string manOptions(const CLI::App& app)
{
    std::string text;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_name() == "--help")
            continue;
        text += ".TP\n.B " + escaped(option->get_name()) + "\n" + escaped(option->get_description()) + "\n";
    }
    return text;
}

template<typename Enum> std::string manWords(const std::string& heading)
{
    std::string text = ".SS " + heading + "\n";
    for (const Word& w : words<Enum>())
        if (!w.key.empty())
            text += ".TP\n.B " + escaped(std::string(w.key)) + "\n"
                + escaped(std::string(w.label) + ": " + std::string(w.help)) + "\n";
    return text;
}

// Not adjusted to both margins: options and ids do not break, and lines with them would be torn apart.
std::string manPage(const CLI::App& app)
{
    std::string text =
        ".TH CAIRN 1\n.ad l\n.SH NAME\ncairn \\- keeps long runs of AI agents alive, and lets a person "
        "repair them\n"
        ".SH SYNOPSIS\n.B cairn\n[\\-\\-store URL] [\\-\\-json] [\\-\\-raw] [\\-\\-as NAME] VERB ...\n.SH "
        "OPTIONS\n"
        + manOptions(app) + ".SH VERBS\n";
    for (const CLI::App* sub : subcommands(app)) {
        text += ".SS " + escaped(sub->get_name()) + "\n" + escaped(sub->get_description()) + "\n"
            + manOptions(*sub);
        for (const CLI::App* inner : subcommands(*sub))
            text += ".TP\n.B " + escaped(sub->get_name() + " " + inner->get_name()) + "\n"
                + escaped(inner->get_description()) + "\n" + manOptions(*inner);
    }
    text += ".SH WORDS\n" + manWords<Activity>("Activities") + manWords<Reason>("Reasons")
        + manWords<Attention>("Who moves next");
    text += ".SH EXIT STATUS\n0 done; 1 refused or found wanting; 2 usage; 3 store not reachable; 4 not "
            "found; 5 stale, what the act "
            "depends on has changed.\n.SH ENVIRONMENT\n.TP\n.B CAIRN_STORE\nstore URL where \\-\\-store is "
            "not given\n";
    return text;
}

}  // namespace

void addHelpVerbs(Verbs v)
{
    addHandbookVerb(v);
    auto& chosen = v.chosen;
    const CLI::App* app = &v.app;
    v.app.add_subcommand("completion", "Completion for bash")->callback([app, &chosen] {
        chosen = [app] {
            std::puts(bashCompletion(*app).c_str());
            return static_cast<int>(kDone);
        };
    });
    v.app.add_subcommand("man", "The manual page, as roff text")->callback([app, &chosen] {
        chosen = [app] {
            std::fputs(manPage(*app).c_str(), stdout);
            return static_cast<int>(kDone);
        };
    });
}

}  // namespace cairn::cli
