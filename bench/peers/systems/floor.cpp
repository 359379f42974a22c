// SPDX-License-Identifier: MIT
// The floors of this machine in the form of systems. No timer system can be faster or more punctual.
#include <algorithm>
#include <string>
#include <vector>

#include "../works/lateness_answer.hpp"
#include "floor_costs.hpp"

namespace {

using namespace peers;

std::int64_t spin_until(std::int64_t instant_ns) {
  std::int64_t now_ns = steady_ns();
  while (now_ns < instant_ns) now_ns = steady_ns();
  return now_ns;
}

std::int64_t sleep_until(std::int64_t instant_ns) {
  sleep_until_ns(instant_ns);
  return steady_ns();
}

// Meets the deadlines of the work `lateness`, which are known ahead, one after the other on the calling thread.
template <auto wait>
answer meet_deadlines(const request& wanted) {
  lateness_plan plan(wanted);
  std::vector<std::int64_t> deadlines(plan.count), lateness;
  lateness.reserve(plan.count);
  std::int64_t scheduled_ns = steady_ns();
  for (std::int64_t& each : deadlines) each = (scheduled_ns += plan.between_ns) + plan.ahead.next().count();
  std::ranges::sort(deadlines);
  const stopwatch watch;
  for (const std::int64_t each : deadlines) lateness.push_back(wait(each) - each);
  return lateness_answer(lateness, watch);
}

template <auto wait>
peers::system punctuality(const std::string& name, const std::string& how) {
  peers::system made{.name = name, .version = "", .how = how, .works = {}};
  made.works.emplace("lateness", meet_deadlines<wait>);
  return made;
}

peers::system costs() {
  peers::system made{.name = "floor",
                     .version = "",
                     .how = "single operations in a loop on one thread, the least of several runs",
                     .works = {}};
  made.works.emplace("floors", [](const request& wanted) { return floor_costs(wanted.milliseconds("milliseconds")); });
  return made;
}

}  // namespace

int main(int count, char** words) {
  return serve(
      {words, static_cast<std::size_t>(count)},
      {{.name = "floor", .make = costs},
       {.name = "floor-spin",
        .make = [] { return punctuality<spin_until>("floor-spin", "spins on the clock until each deadline"); }},
       {.name = "floor-sleep", .make = [] {
          return punctuality<sleep_until>("floor-sleep", "clock_nanosleep to each deadline, timer slack 1 ns");
        }}});
}
