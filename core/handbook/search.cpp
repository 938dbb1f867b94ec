// A search over the pages: few and short, so they are read through each time.

#include "core/base/text.h"
#include "core/handbook/handbook.h"

#include <algorithm>
#include <utility>

namespace cairn {

namespace {

constexpr std::size_t kLineBytes = 160;

std::string folded(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::vector<std::string> wordsOf(std::string_view text)
{
    std::vector<std::string> all;
    std::string word;
    for (const char c : folded(text) + " ") {
        if (c != ' ' && c != '\t' && c != '\n')
            word += c;
        else if (!word.empty())
            all.push_back(std::exchange(word, {}));
    }
    return all;
}

bool holdsAll(std::string_view text, const std::vector<std::string>& words)
{
    return std::all_of(words.begin(), words.end(),
        [&](const std::string& word) { return text.find(word) != std::string_view::npos; });
}

std::size_t timesIn(std::string_view text, const std::string& word)
{
    std::size_t times = 0;
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + word.size()))
        ++times;
    return times;
}

// A line as it is read, without Markdown's marks. Of a long one the part with the word in it.
std::string plainLine(std::string_view line, const std::vector<std::string>& words)
{
    std::string out;
    for (const char c : line)
        if (c != '*' && c != '`')
            out += c == '|' ? ' ' : c;
    const std::size_t begin = out.find_first_not_of("#- \t");
    if (begin == std::string::npos)
        return {};
    out = out.substr(begin, out.find_last_not_of(" \t") - begin + 1);
    std::size_t at = std::string::npos;
    for (const std::string& word : words)
        at = std::min(at, folded(out).find(word));
    constexpr std::size_t kBefore = 40;
    if (out.size() > kLineBytes && at != std::string::npos && at > kLineBytes - kBefore)
        if (const std::size_t blank = out.find(' ', at - kBefore); blank < at)
            out = "…" + out.substr(blank);
    return clipped(out, kLineBytes);
}

struct Found {
    HandbookHit hit;
    int rank = 0;  // 0: in the title, 1: in a heading, 2: in the text
    std::size_t times = 0;
};

// The line that has the most of the words, and where it stands.
Found lookedThrough(const HandbookPage& page, const std::vector<std::string>& words)
{
    Found found{{&page, {}, {}}, holdsAll(folded(page.title), words) ? 0 : 2, 0};
    std::string place;
    std::size_t best = 0;
    std::string_view rest = page.text;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::string text = folded(line);
        const bool heading = line.starts_with("#");
        if (heading && line.starts_with("##"))
            place = headingAnchor(line.substr(std::min(line.find_first_not_of("# "), line.size())));
        std::size_t here = 0;
        for (const std::string& word : words) {
            const std::size_t times = timesIn(text, word);
            found.times += times;
            here += times > 0 ? 1 : 0;
        }
        if (heading && here == words.size())
            found.rank = std::min(found.rank, 1);
        if (here > best && !line.starts_with("# ")) {
            best = here;
            found.hit.place = place;
            found.hit.line = plainLine(line, words);
        }
    }
    return found;
}

}  // namespace

std::vector<HandbookHit> searchHandbook(std::string_view words, std::size_t most)
{
    const std::vector<std::string> wanted = wordsOf(words);
    if (wanted.empty())
        return {};
    std::vector<Found> all;
    for (const HandbookPage& page : handbookPages())
        if (holdsAll(folded(page.text), wanted))
            all.push_back(lookedThrough(page, wanted));
    std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
        return a.rank != b.rank ? a.rank < b.rank : a.times > b.times;
    });
    std::vector<HandbookHit> hits;
    for (Found& found : all)
        if (hits.size() < most)
            hits.push_back(std::move(found.hit));
    return hits;
}

}  // namespace cairn
