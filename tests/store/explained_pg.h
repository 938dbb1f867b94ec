#pragma once
// The plans that the server makes for statements of the driver, in a session as the driver has it: generic
// ones, as its prepared statements get. One thread at a time.

#include "core/store/postgres/db.h"
#include "tests/support/cairn_qtest.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::testing {

class ExplainedPg {
public:
    struct Statement {
        const char* name;
        const char* text;
    };

    explicit ExplainedPg(const std::string& url)
    {
        auto target = postgres::resolveTarget(url, true);
        if (!target)
            qFatal("%s", target.error().text.c_str());
        m_db = std::make_unique<postgres::Db>(*std::move(target), postgres::Session{});
        if (const Status connected = m_db->connect(); !connected)
            qFatal("%s", connected.error().text.c_str());
        const std::string in =
            " WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'cairn') ";
        for (const std::string& line :
            lines("SELECT concat(c.relname, '.', a.attname, ' ', CASE WHEN a.atttypid IN (21, 23) THEN "
                  "'bigint' "
                  "ELSE format_type(a.atttypid, NULL) END) FROM pg_attribute a JOIN pg_class c "
                  "ON c.oid = a.attrelid"
                + in + "AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped"))
            m_columns[line.substr(0, line.find(' '))] = line.substr(line.find(' ') + 1);
        for (const std::string& line :
            lines("SELECT concat(i.relname, ' ', c.relname, '.', a.attname) FROM pg_index x JOIN pg_class i "
                  "ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid JOIN pg_attribute a "
                  "ON a.attrelid = c.oid AND a.attnum = x.indkey[0]"
                + in))
            m_indexes[line.substr(0, line.find(' '))] = line.substr(line.find(' ') + 1);
        if (m_columns.empty() || m_indexes.empty())
            qFatal("there is no store");
    }

    [[nodiscard]] static bool hasPlan(std::string_view text)
    {
        for (const std::string_view word : {"SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "("})
            if (text.starts_with(word))
                return true;
        return false;
    }

    // Empty where each table of the store is entered by the first column of an index: for rows of runs the
    // run, or an index that claims, finds keys or follows changes. Else the first that is not, and the plan.
    [[nodiscard]] std::string problem(const std::string& text)
    {
        const std::vector<std::string> types = typesOf(text);
        const std::string name = "explained_" + std::to_string(m_serial++);
        std::string declared, nulls;
        for (const std::string& type : types) {
            declared += (declared.empty() ? "(" : ", ") + type;
            nulls += nulls.empty() ? "(NULL" : ", NULL";
        }
        const std::string close = types.empty() ? "" : ")";
        static_cast<void>(lines("PREPARE " + name + declared + close + " AS " + text));
        const std::vector<std::string> plan = lines("EXPLAIN (COSTS OFF) EXECUTE " + name + nulls + close);
        std::string whole;
        for (const std::string& line : plan)
            whole += '\n' + line;
        if (plan.empty())
            return "there is no plan";
        for (std::size_t at = 0; at < plan.size(); ++at)
            if (const std::string found = problemOf(plan[at], at + 1 < plan.size() ? plan[at + 1] : "");
                !found.empty())
                return found + whole;
        return {};
    }

private:
    std::vector<std::string> lines(const std::string& sql)
    {
        postgres::Batch batch;
        batch.addText(sql, {});
        auto answers = m_db->run(batch);
        if (!answers)
            qFatal("%s\n%s", answers.error().text.c_str(), sql.c_str());
        std::vector<std::string> out;
        while (answers->front().next())
            answers->front().read(out.emplace_back());
        return out;
    }

    static bool isOfWord(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }
    static std::string wordAt(std::string_view text, std::size_t at)
    {
        std::size_t end = at;
        while (end < text.size() && isOfWord(text[end]))
            ++end;
        return std::string(text.substr(at, end - at));
    }
    static std::vector<std::string> listAt(std::string_view text, std::size_t open)
    {
        std::vector<std::string> out;
        const std::size_t end = text.find(')', open);
        for (std::size_t at = open + 1; at < end; at = std::min(text.find(',', at), end) + 1) {
            at = text.find_first_not_of(' ', at);
            out.push_back(text[at] == '$' ? "$" + wordAt(text, at + 1) : wordAt(text, at));
        }
        return out;
    }

    // The server finds out by itself what a parameter is, but for those of unnest(): they are arrays of the
    // column that they are called after, or that they are inserted into.
    std::vector<std::string> typesOf(const std::string& text) const
    {
        std::size_t count = 0;
        for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at + 1))
            count =
                std::max(count, static_cast<std::size_t>(std::strtoul(text.c_str() + at + 1, nullptr, 10)));
        std::vector<std::string> types(count, "unknown");
        const std::string call = "unnest(", alias = " AS u(", places = " WITH ORDINALITY";
        for (std::size_t at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
            const std::vector<std::string> arguments = listAt(text, at + call.size() - 1);
            std::size_t after = text.find(')', at) + 1;
            if (text.compare(after, places.size(), places) == 0)
                after += places.size();
            const bool named = text.compare(after, alias.size(), alias) == 0;
            const std::vector<std::string> names = named ? listAt(text, after + alias.size() - 1)
                : text.starts_with("INSERT")             ? listAt(text, text.find('('))
                                                         : std::vector<std::string>{};
            for (std::size_t i = 0; i < arguments.size(); ++i) {
                const std::size_t number = std::strtoul(arguments[i].c_str() + 1, nullptr, 10);
                const std::size_t place = named ? i : number - 1;
                if (number > 0)
                    types[number - 1] = columnType(text, place < names.size() ? names[place] : "") + "[]";
            }
        }
        return types;
    }

    // Of the first table of the statement that has such a column; what is none is a number.
    std::string columnType(const std::string& text, const std::string& name) const
    {
        const std::string schema = "cairn.";
        for (std::size_t at = text.find(schema); at != std::string::npos; at = text.find(schema, at + 1)) {
            const auto found = m_columns.find(wordAt(text, at + schema.size()) + "." + name);
            if (found != m_columns.end())
                return found->second;
        }
        return "bigint";
    }

    // "Index Cond: ((run = $1) AND …)", or "(ROW(run, version) > …": the column of the index stands first.
    static bool enters(const std::string& condition, const std::string& column)
    {
        if (condition.find("Index Cond: ") == std::string::npos)
            return false;
        for (std::size_t at = condition.find("(" + column); at != std::string::npos;
             at = condition.find("(" + column, at + 1))
            if (wordAt(condition, at + 1) == column)
                return true;
        return false;
    }

    std::string problemOf(const std::string& line, const std::string& next) const
    {
        // One row each.
        static const std::set<std::string> kSmall{"meta", "audit_head"};
        // Of what waits or is open only, by the index's own condition.
        static const std::set<std::string> kOpen{"sessions_open", "sessions_left", "staged_waiting",
            "staged_proposed", "plans_open", "plans_under_way"};
        static const std::set<std::string> kOfRuns{"runs", "run_hot", "run_list", "run_attributes", "entries",
            "steps", "attempts", "payloads", "approvals"};
        // Claims; one key; the children of a run, a tree, who uses an artifact; what has changed since.
        static const std::set<std::string> kBesideTheRun{"run_hot_due", "run_hot_owner", "runs_key",
            "runs_parent", "list_root", "payloads_artifact", "list_changed"};
        const std::string reads = "Seq Scan on ", uses = " using ";
        if (const std::size_t at = line.find(reads); at != std::string::npos) {
            const std::string table = wordAt(line, at + reads.size());
            return table.starts_with("pg_") || kSmall.contains(table) ? "" : table + " is read whole";
        }
        const std::size_t at = line.find(uses);
        if (at == std::string::npos || line.find("Index") == std::string::npos)
            return {};
        const std::string index = wordAt(line, at + uses.size());
        const auto found = m_indexes.find(index);
        if (found == m_indexes.end())  // of the server's own tables
            return {};
        const std::string table = found->second.substr(0, found->second.find('.'));
        const std::string column = found->second.substr(found->second.find('.') + 1);
        if (!enters(next, column))
            return kOpen.contains(index) ? "" : index + " is read whole";
        if (kOfRuns.contains(table) && column != "run" && !kBesideTheRun.contains(index))
            return table + " does not start from a run, but from " + index;
        return {};
    }

    std::unique_ptr<postgres::Db> m_db;
    std::map<std::string, std::string> m_columns;  // "table.column": its type, as it is bound
    std::map<std::string, std::string> m_indexes;  // its table and first column
    int m_serial = 0;
};

}  // namespace cairn::testing
