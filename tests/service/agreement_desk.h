#pragma once
// Two people and more, each in a process of his own on one store, and a run in a store with a policy.

#include "core/service/agreement.h"
#include "core/service/staged.h"
#include "tests/service/harness.h"

namespace cairn::testing {

inline const std::string kResume = R"({"schema":"urn:cairn:policy:1","rules":[
  {"verbs":["resume"],"people":2,"role":"ops","expires":"1h"}],
  "roles":{"ops":["uid 1","uid 2"],"finance":["uid 3"]}})";

// A person's own process on the store.
struct Desk {
    // On a server each person has a login of his own; null: who it is the process says.
    static inline std::function<std::unique_ptr<StoreWriter>(const std::string& login)> s_as;

    Desk(World& w, const std::string& login)
        : connection(s_as ? s_as(login) : w.connect())
        , reader(*connection, w.clock)
        , queue(makeInlineQueue(*connection))
    {
        ServiceConfig config;
        config.login = login;
        config.host = "desk";
        service = std::make_unique<Service>(reader, *queue, w.clock, w.rng, config);
    }
    Outcome decide(const StagedAct& act, StagedState as = StagedState::Waiting)
    {
        return Agreements(*service).decideAct(
            {act.command, act.digest, as, "looked at it and agree", "somebody"});
    }
    // As the command line does it: confirmed, carried out, and what became of it kept.
    Outcome confirm(const StagedAct& act)
    {
        Outcome decided = decide(act);
        if (decided.kind != Outcome::Kind::Committed)
            return decided;
        const StagedAct confirmed = **connection->stagedAct(act.command);
        Outcome done = Agreements(*service).carryOut(*connection, confirmed);
        if (isAnswer(done))
            if (const Status kept = connection->finishStaged(answered(confirmed, done)); !kept)
                qFatal("%s", kept.error().text.c_str());
        return done;
    }
    std::unique_ptr<StoreWriter> connection;
    ClockedReader reader;
    std::unique_ptr<CommitQueue> queue;
    std::unique_ptr<Service> service;
};

// A paused run in a store whose policy asks two people for resume.
struct Paused {
    World w;
    Desk ann{w, "uid 1"};
    Desk bob{w, "uid 2"};
    Desk eve{w, "uid 3"};
    RunId run;

    explicit Paused(const std::string& policy = kResume)
    {
        w.add(workflowText("flow", R"({"name":"look","tool":"look"})"));
        run = w.service->submitAndWait(World::start(*w.service, "flow", "{}")).run;
        if (!ann.service->submitAndWait(World::act(run, cmd::SetPaused{true, 0, false})).ok())
            qFatal("the run is not paused");
        const Outcome set =
            Agreements(*ann.service).setPolicy({policy, 0, "two people resume", "ann", false});
        if (set.kind != Outcome::Kind::Committed)
            qFatal("%s", told(set).c_str());
    }
    [[nodiscard]] Outcome propose(Desk& by)
    {
        return by.service->submitAndWait(World::act(run, cmd::SetPaused{false, 0, false}));
    }
    [[nodiscard]] bool paused() { return w.service->load(run)->own.paused; }
    [[nodiscard]] StagedAct act(const Outcome& outcome)
    {
        return **w.writer->stagedAct(outcome.proposal->command);
    }
    // Kinds of the audit's entries on proposals and what was said to them.
    [[nodiscard]] std::vector<std::string> entries()
    {
        std::vector<std::string> kinds;
        const auto rows = w.writer->audit(0, 100);
        for (const AuditRow& row : *rows)
            if (row.verb == Verb::ProposeAct || row.verb == Verb::ConfirmAct)
                kinds.push_back(std::string(key(row.verb)) + " " + row.kind + " " + row.login);
        return kinds;
    }
};

}  // namespace cairn::testing
