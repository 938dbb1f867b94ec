// help: the pages of the handbook, as the console shows them. Needs no store.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "core/base/text.h"
#include "core/definition/text_values.h"
#include "core/handbook/handbook.h"

#include <CLI/CLI.hpp>

namespace cairn::cli {

namespace {

using Pages = std::vector<const HandbookPage*>;

Json jsonPage(const HandbookPage& page, bool whole)
{
    Json json{{"page", jsonText(page.name)}, {"title", jsonText(page.title)}};
    if (whole)
        json["text"] = jsonText(page.text);
    return json;
}

int listPages(Session& s)
{
    Json list = Json::array();
    for (const HandbookPage& page : handbookPages()) {
        if (s.options.json)
            list.push_back(jsonPage(page, false));
        else
            s.line(pad(std::string(page.name), 30) + " " + std::string(page.title));
    }
    if (s.options.json)
        s.json(dump(Json{{"pages", std::move(list)}}));
    return kDone;
}

int printPages(Session& s, const Pages& pages)
{
    Json list = Json::array();
    std::string text;
    for (const HandbookPage* page : pages) {
        list.push_back(jsonPage(*page, true));
        text += (text.empty() ? "" : "\n") + std::string(page->text);
    }
    if (s.options.json)
        s.json(dump(Json{{"pages", std::move(list)}}));
    else
        s.text(std::string(trimmed(text)));
    return kDone;
}

int noPage(Session& s, const std::string& word)
{
    const std::string nearest = nearestName(word, handbookPages(),
        [](const HandbookPage& page) { return page.name.substr(page.name.rfind('/') + 1); });
    return s.fail(kNotFound,
        "the handbook has no page \"" + visibleLine(word) + "\""
            + (nearest.empty() ? std::string() : "; did you mean `cairn help " + nearest + "`?")
            + " `cairn help` lists all pages, `cairn help --search TEXT` looks through them");
}

int searchPages(Session& s, const std::string& words)
{
    const std::vector<HandbookHit> hits = searchHandbook(words);
    Json list = Json::array();
    for (const HandbookHit& hit : hits) {
        if (s.options.json)
            list.push_back({{"page", jsonText(hit.page->name)}, {"title", jsonText(hit.page->title)},
                {"place", jsonOptional(hit.place)}, {"line", jsonText(hit.line)}});
        else
            s.line(pad(std::string(hit.page->name), 30) + " " + hit.line);
    }
    if (s.options.json)
        s.json(dump(Json{{"hits", std::move(list)}}));
    else if (hits.empty())
        s.note("no page has all of these words");
    return hits.empty() ? kNotFound : kDone;
}

}  // namespace

void addHandbookVerb(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand("help", "A page of the handbook: what a reason means, what a verb does");
    auto words = std::make_shared<std::vector<std::string>>();
    auto search = std::make_shared<std::string>();
    cmd->add_option("WORD", *words,
        "a reason, a verb, or a page, as `cairn help` lists them; a word that is both gives both pages");
    cmd->add_option("--search", *search, "instead: the pages in which all of these words stand");
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            std::string word;
            for (const std::string& part : *words)
                word += (word.empty() ? "" : " ") + part;  // "Uncertain effect" without quotes
            if (!search->empty() && !word.empty())
                return s.fail(kUsage, "name a page, or give --search, not both");
            if (!search->empty())
                return searchPages(s, *search);
            if (word.empty())
                return listPages(s);
            const Pages pages = handbookAbout(word);
            return pages.empty() ? noPage(s, word) : printPages(s, pages);
        };
    });
}

}  // namespace cairn::cli
