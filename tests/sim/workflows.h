#pragma once
// What the simulated runs do.

#include <array>

namespace cairn::sim {

inline constexpr std::array<const char*, 4> kWorkflows{
    // Five steps; a payment with a business key that several runs share, a look-up and a limited resource.
    // Its
    // first call has no time-out: what a dead engine left of it is ended by who takes the run over, or never.
    R"({"schema":"urn:cairn:workflow:1","name":"buy","version":1,"limits":{"bank":{"slots":3}},"tools":{
"look":{"safety":"read_only","executor":"command","settings":{"argv":["/x"]}},
"note":{"safety":"repeatable","executor":"command","settings":{"argv":["/x"]},"timeout":"10s"},
"pay":{"safety":"irreversible","executor":"command","settings":{"argv":["/x"]},"effect_key":"order/${/order}",
       "look_up":{"argv":["/x"]},"resource":"bank","timeout":"8s"}},
"steps":[{"name":"look","tool":"look"},{"name":"ok","kind":"approval","approval":{"role":"boss"},"after":["look"]},
{"name":"pay","tool":"pay","after":["ok"],"input":{"order":{"$from":"input","at":"/order"}}},
{"name":"note","tool":"note","after":["pay"]},{"name":"nap","kind":"timer","wait":"20s","after":["note"]}]})",
    // The next version: nobody is asked, and it naps for longer than an engine keeps a run that does nothing.
    R"({"schema":"urn:cairn:workflow:1","name":"buy","version":2,"limits":{"bank":{"slots":3}},"tools":{
"note":{"safety":"repeatable","executor":"command","settings":{"argv":["/x"]},"timeout":"10s"},
"pay":{"safety":"irreversible","executor":"command","settings":{"argv":["/x"]},"effect_key":"order/${/order}",
       "look_up":{"argv":["/x"]},"resource":"bank","timeout":"8s"}},
"steps":[{"name":"nap","kind":"timer","wait":"45s"},
{"name":"pay","tool":"pay","after":["nap"],"input":{"order":{"$from":"input","at":"/order"}}},
{"name":"note","tool":"note","after":["pay"]}]})",
    // A fan-out, and an irreversible step that nobody can be asked about; cancelling it compensates.
    R"({"schema":"urn:cairn:workflow:1","name":"spread","version":1,"on_cancel":"compensate","tools":{
"note":{"safety":"repeatable","executor":"command","settings":{"argv":["/x"]},"timeout":"10s"},
"unsend":{"safety":"repeatable","executor":"command","settings":{"argv":["/x"]},"timeout":"10s"},
"send":{"safety":"irreversible","executor":"command","settings":{"argv":["/x"]},"timeout":"10s",
        "undo":{"tool":"unsend","input":{"$from":"output"}}}},
"steps":[{"name":"many","tool":"note","for_each":{"from":"input","at":"/items"}},
{"name":"send","tool":"send","after":["many"]},{"name":"bell","kind":"signal","signal":"rung","wait":"40s","after":["send"]}]})",
    // A tree.
    R"({"schema":"urn:cairn:workflow:1","name":"tree","version":1,"tools":{
"look":{"safety":"read_only","executor":"command","settings":{"argv":["/x"]}}},
"steps":[{"name":"kid","kind":"run","workflow":"spread","workflow_version":1,"input":{"items":[1,2]}},
{"name":"kid2","kind":"run","workflow":"buy","workflow_version":1,"input":{"order":99}},
{"name":"end","tool":"look","after":["kid","kid2"]}]})"};

}  // namespace cairn::sim
