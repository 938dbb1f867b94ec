#pragma once
// The handbook, as both programs carry it: the pages of resources/handbook, which page is about a word of the
// vocabulary, where a link leads, and a search. The command line prints these pages, the console shows them.
// Everything is constant and in memory: from any thread, nothing blocks, nothing fails.

#include "core/model/vocabulary.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

struct HandbookPage {
    std::string_view
        name;  // "concepts", "reasons/approval": the path below resources/handbook, without ".md"
    std::string_view title;  // its first heading
    std::string_view text;   // Markdown, UTF-8
};

// All pages, in the order of their names.
[[nodiscard]] std::span<const HandbookPage> handbookPages();
// Null where there is no such page.
[[nodiscard]] const HandbookPage* handbookPage(std::string_view name);
// The page about a reason or a verb; null where it has none (Reason::None, the engine's verbs).
[[nodiscard]] const HandbookPage* handbookPage(Reason reason);
[[nodiscard]] const HandbookPage* handbookPage(Verb verb);
// The pages that a person means by a word: a page's name or the last part of it ("approval",
// "reasons/retry"), the machine word or the console's word of a reason or a verb ("Uncertain effect"). A word
// may be both a reason and a verb: the reason comes first. Case does not count. Empty: none.
[[nodiscard]] std::vector<const HandbookPage*> handbookAbout(std::string_view word);

// Where a link on a page leads.
struct HandbookPlace {
    const HandbookPage* page = nullptr;
    std::string place;  // a heading's anchor on it; empty: its beginning
};
// Nothing: it leads out of the handbook, or nowhere.
[[nodiscard]] std::optional<HandbookPlace> handbookLink(const HandbookPage& from, std::string_view link);
// The anchor of a heading, by which a link names it: "What the drill does" is "what-the-drill-does".
[[nodiscard]] std::string headingAnchor(std::string_view heading);

struct HandbookHit {
    const HandbookPage* page = nullptr;
    std::string place;  // the anchor of the heading under which it stands
    std::string line;   // the line of the page, without its marks; at most 160 bytes
};
// Pages in which every one of the words stands (parts of words count, case does not): those first that have
// them in their title, then in a heading, then by how often. One hit a page; at most `most`. No words: none.
[[nodiscard]] std::vector<HandbookHit> searchHandbook(std::string_view words, std::size_t most = 50);

}  // namespace cairn
