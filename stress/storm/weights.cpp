// SPDX-License-Identifier: MIT
#include "storm/weights.hpp"

#include "support/splitmix.hpp"

#include <CLI/CLI.hpp>

#include <array>

namespace stress {
namespace {

struct row {
  const char* name;
  unsigned weights::*member;
  const char* of;
};
constexpr std::array<row, 17> rows{{
    {"--schedule", &weights::schedule, "of a step: schedule"},
    {"--cancel", &weights::cancel, "of a step: cancel"},
    {"--restart", &weights::restart, "of a step: restart"},
    {"--stale", &weights::stale, "of a step: use a handle of a former life"},
    {"--groups", &weights::groups, "of a step: fill, cancel, pause, resume, end, move a group"},
    {"--engines", &weights::engines, "of a step: make, use and destroy another engine"},
    {"--threads", &weights::threads, "of a step: a thread that lives for some steps"},
    {"--periodic", &weights::periodic, "of 100 timers: periodic, or re-arm themselves"},
    {"--destructors", &weights::destructors, "of 100 timers: captures that call back"},
    {"--waits", &weights::waits, "of 100 cancels: cancel_and_wait"},
    {"--near", &weights::near, "of 100 deadlines: due while the next steps are made"},
    {"--pools", &weights::pools, "of 100 rounds: callbacks on a pool"},
    {"--starved", &weights::starved, "of 100 rounds: a pool that is blocked for milliseconds"},
    {"--refusing", &weights::refusing, "of 100 rounds: an executor that refuses, delays, drops"},
    {"--stop", &weights::stop, "of 100 rounds: stop() by two threads in the midst"},
    {"--unstopped", &weights::unstopped, "of 100 rounds: the engine is destroyed without stop()"},
    {"--aged", &weights::aged, "of 100 rounds: nodes close to the end of their generations"},
}};

constexpr std::array<preset, 11> table{{
    {"all",
     "everything beside each other",
     {.groups = 2,
      .engines = 1,
      .threads = 1,
      .periodic = 10,
      .destructors = 10,
      .starved = 10,
      .refusing = 10,
      .unstopped = 10,
      .aged = 10}},
    {"timers", "schedule, cancel and restart, as fast as it goes", {}},
    {"restarts",
     "restarts at the moment when timers come due",
     {.schedule = 8, .cancel = 0, .restart = 56, .stale = 0, .near = 90, .stop = 0}},
    {"periodic",
     "cancel_and_wait while periodic timers run, are restarted and end themselves",
     {.schedule = 16, .restart = 24, .periodic = 90, .waits = 60, .near = 60}},
    {"stop", "two threads stop an engine that others use", {.schedule = 24, .periodic = 5, .waits = 30, .stop = 100}},
    {"stale",
     "handles of former lives, nodes at the end of their generations",
     {.stale = 128, .near = 50, .pools = 0, .aged = 75}},
    {"threads",
     "producers that live for a few calls, thread-local destructors included",
     {.schedule = 0, .cancel = 0, .restart = 0, .stale = 0, .threads = 1, .waits = 12},
     "producers",
     &tally::threads,
     std::chrono::milliseconds(1000)},
    {"engines",
     "engines made, moved, and destroyed, by their own callbacks too",
     {.schedule = 1, .cancel = 1, .restart = 1, .engines = 8, .waits = 50},
     "engines",
     &tally::engines,
     std::chrono::milliseconds(1000)},
    {"executors",
     "pools that are blocked; an executor that refuses, delays, drops, keeps",
     {.waits = 12, .near = 50, .starved = 50, .refusing = 50}},
    {"groups",
     "groups cancelled, paused, resumed, ended and moved while their members run",
     {.schedule = 4, .cancel = 4, .restart = 3, .groups = 20, .waits = 50}},
    {"destructors",
     "captures whose destructors schedule, cancel, restart",
     {.destructors = 80, .waits = 25, .near = 30, .starved = 15, .refusing = 15, .stop = 50, .unstopped = 40}},
}};

}  // namespace

std::span<const preset> presets() { return table; }

void weight_options::add_to(CLI::App& app) {
  std::vector<std::string> names;
  std::string text = "one preset in each round, not one by its seed:";
  for (const preset& each : table) {
    names.emplace_back(each.name);
    text += std::string("\n  ") + each.name + ": " + each.description;
  }
  app.add_option("--only", only_, text)->check(CLI::IsMember(names));
  for (std::size_t i = 0; i < rows.size(); ++i)
    app.add_option(rows[i].name, chosen_[i], rows[i].of)->check(CLI::Range(0u, 1000u))->group("Weights");
}

preset weight_options::choose(std::uint64_t seed) const {
  preset chosen = table[detent::test::splitmix(seed, 1).below(table.size())];
  for (const preset& each : table) {
    if (only_ == each.name) chosen = each;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (chosen_[i]) chosen.values.*rows[i].member = *chosen_[i];
  }
  return chosen;
}

}  // namespace stress
