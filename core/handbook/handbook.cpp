#include "core/handbook/handbook.h"

#include "core/handbook/embedded.h"

#include <algorithm>

namespace cairn {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool sameWord(std::string_view a, std::string_view b)
{
    return a.size() == b.size()
        && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

// "# Title" at the beginning of a page.
std::string_view titleOf(const EmbeddedPage& page)
{
    if (!page.text.starts_with("# "))
        return page.name;
    const std::size_t end = page.text.find('\n');
    return page.text.substr(2, end == std::string_view::npos ? end : end - 2);
}

const HandbookPage* pageOf(std::string_view folder, std::string_view key)
{
    return handbookPage(std::string(folder) + "/" + std::string(key));
}

// The pages of an enum's words that have this key or label.
template<typename Enum> void addAbout(std::string_view word, std::vector<const HandbookPage*>& found)
{
    for (const Word& w : words<Enum>())
        if (sameWord(w.key, word) || sameWord(w.label, word))
            if (const HandbookPage* page = handbookPage(static_cast<Enum>(w.value)))
                found.push_back(page);
}

}  // namespace

std::span<const HandbookPage> handbookPages()
{
    static const std::vector<HandbookPage> pages = [] {
        std::vector<HandbookPage> all;
        for (const EmbeddedPage& page : embeddedPages())
            all.push_back({page.name, titleOf(page), page.text});
        return all;
    }();
    return pages;
}

const HandbookPage* handbookPage(std::string_view name)
{
    for (const HandbookPage& page : handbookPages())
        if (page.name == name)
            return &page;
    return nullptr;
}

const HandbookPage* handbookPage(Reason reason) { return pageOf("reasons", key(reason)); }
const HandbookPage* handbookPage(Verb verb) { return pageOf("verbs", key(verb)); }

std::vector<const HandbookPage*> handbookAbout(std::string_view word)
{
    std::vector<const HandbookPage*> found;
    addAbout<Reason>(word, found);
    addAbout<Verb>(word, found);
    if (!found.empty())
        return found;
    for (const HandbookPage& page : handbookPages())
        if (sameWord(page.name, word))
            return {&page};
    for (const HandbookPage& page : handbookPages())
        if (sameWord(page.name.substr(page.name.rfind('/') + 1), word) && !sameWord(word, "README"))
            found.push_back(&page);
    return found;
}

std::string headingAnchor(std::string_view heading)
{
    std::string anchor;
    for (const char c : heading) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        // What is not ASCII is part of a letter.
        if (letter || c == '_' || c == '-' || (static_cast<unsigned char>(c) & 0x80U) != 0)
            anchor += lower(c);
        else if (c == ' ')
            anchor += '-';
    }
    return anchor;
}

std::optional<HandbookPlace> handbookLink(const HandbookPage& from, std::string_view link)
{
    const std::size_t hash = link.find('#');
    std::string_view file = link.substr(0, hash);
    HandbookPlace target{&from, hash == std::string_view::npos ? "" : std::string(link.substr(hash + 1))};
    if (file.empty())
        return target;
    if (file.find(':') != std::string_view::npos || !file.ends_with(".md"))
        return std::nullopt;
    file.remove_suffix(3);
    const std::size_t slash = from.name.rfind('/');
    std::string folder = slash == std::string_view::npos ? "" : std::string(from.name.substr(0, slash + 1));
    while (file.starts_with("../")) {
        if (folder.empty())
            return std::nullopt;  // above the handbook
        file.remove_prefix(3);
        const std::size_t above =
            folder.size() < 2 ? std::string::npos : folder.rfind('/', folder.size() - 2);
        folder.resize(above == std::string::npos ? 0 : above + 1);
    }
    target.page = handbookPage(folder + std::string(file));
    return target.page ? std::optional(target) : std::nullopt;
}

}  // namespace cairn
