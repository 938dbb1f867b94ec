#pragma once
// Logins that have one role of the store each, as an administrator makes them; roles belong to the whole
// server.

#include "tests/store/postgres_fixture.h"

namespace cairn::testing {

inline constexpr const char* kRoles[] = {"engine", "operator", "approver", "viewer", "auditor", "breakglass"};

struct RoleLogins : PostgresStoreFixture {
    // `t_engine` and so on; `t_second` is another approver, `t_both` operator and approver, `t_nobody` has no
    // role.
    void initWithRoles(const InitOptions& options = {"test", true, true, true}) const
    {
        init(postgres::kSchema, options);
        grantLogins();
    }
    void grantLogins() const
    {
        for (const char* role : kRoles)
            login(std::string("t_") + role, std::string("cairn_") + role);
        login("t_second", "cairn_approver");
        login("t_both", "cairn_approver, cairn_operator");
        login("t_nobody", {});
    }
    void login(const std::string& name, const std::string& roles) const
    {
        static_cast<void>(RawPg(url).exec("CREATE ROLE " + name + " LOGIN"));
        if (!roles.empty())
            admin("GRANT " + roles + " TO " + name);
    }
    void admin(const std::string& sql) const
    {
        const std::string error = RawPg(url).exec(sql);
        if (!error.empty())
            qFatal("%s: %s", sql.c_str(), error.c_str());
    }
    [[nodiscard]] std::string urlOf(const std::string& login) const
    {
        static const std::string kAdmin = "user=cairn";
        std::string changed = url;
        return changed.replace(changed.rfind(kAdmin), kAdmin.size(), "user=" + login);
    }
    [[nodiscard]] std::unique_ptr<StoreWriter> openAs(const std::string& login, bool readOnly = false) const
    {
        StoreOptions options;
        options.readOnly = readOnly;
        auto store = postgres::openStore(urlOf(login), options);
        if (!store)
            qFatal("%s: %s", login.c_str(), errorLine(store.error()).c_str());
        return *std::move(store);
    }
};

// The SQLSTATE of one statement, in a transaction that is taken back; empty: it was done.
[[nodiscard]] inline std::string stateIn(const RawPg& raw, const std::string& sql)
{
    static_cast<void>(raw.exec("BEGIN"));
    const std::string error = raw.exec(sql);
    static_cast<void>(raw.exec("ROLLBACK"));
    return error.substr(0, 5);
}

}  // namespace cairn::testing
