#pragma once
// Parts of bench_console about what is large. `make...` writes a store (in a process of its own, whose memory
// is not that of a console), the other opens it and prints figures.

#include <string>

namespace cairn::bench {

void makeHistory(const std::string& path, int entries);
void measureHistory(const std::string& path, int pages);
void makeGraph(const std::string& path, int steps);
void measureGraph(const std::string& path);
void makePayload(const std::string& path, int mebibytes);
void measurePayload(const std::string& path);
void makePlan(const std::string& path, int runs);
void measurePlan(const std::string& path);

}  // namespace cairn::bench
