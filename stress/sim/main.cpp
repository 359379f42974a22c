// SPDX-License-Identifier: MIT
// A deterministic simulation: one seed makes a world of producers, engines on a manual clock, executors and faults, and
// the specification of an engine, which foresees each outcome. The same seed gives the same digest.
#include "failure.hpp"
#include "play.hpp"
#include "script_text.hpp"
#include "shrink.hpp"

#include <CLI/CLI.hpp>

#include <malloc.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <random>

namespace {

using namespace detent::sim;

struct arguments {
  double minutes = 0;
  script plays;
  std::string without, scripts;
  bool trace = false, shrinks = false;
};

void play_one(const script& plays, bool trace) {
  const played came = play(plays, trace);
  std::printf("sim: %s: digest %016" PRIx64 " of %" PRIu64 " events\n", arguments_of(plays).c_str(), came.digest,
              came.events);
  std::fflush(stdout);
}

// Fresh seeds, one after another.
void explore(double minutes, std::uint64_t first) {
  using clock = std::chrono::steady_clock;
  std::printf("sim: seed %" PRIu64 "\n", first);
  std::fflush(stdout);
  const auto end =
      clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(minutes * 60));
  std::uint64_t worlds = 0, events = 0;
  do {
    events += play({.seed = first + worlds, .steps = 0, .without = {}}, false).events;
    ++worlds;
  } while (clock::now() < end);
  std::printf("sim: %" PRIu64 " worlds, %" PRIu64 " events, all as foreseen\n", worlds, events);
}

int shrink_and_tell(const script& failing) {
  if (!fails(failing)) {
    std::printf("sim: %s does not fail\n", arguments_of(failing).c_str());
    return 0;
  }
  const script least = shrink(failing);
  std::printf("sim: %" PRIu64 " steps still fail: stress_sim %s --trace\n", least.steps - least.without.size(),
              arguments_of(least).c_str());
  return failed_status;
}

}  // namespace

int main(int argc, char** argv) try {
  arguments asked;
  CLI::App app("Plays worlds of timers in virtual time, each from one seed, against the specification of an engine.");
  auto* minutes =
      app.add_option("--minutes", asked.minutes, "explore fresh seeds for so long")->check(CLI::PositiveNumber);
  auto* seed = app.add_option("--seed", asked.plays.seed, "play this world; with --minutes: the first one");
  app.add_option("--steps", asked.plays.steps, "so many steps instead of what the seed says")
      ->check(CLI::PositiveNumber);
  app.add_option("--without", asked.without, "leave these steps out, as in 3-17,20");
  auto* scripts = app.add_option("--seeds", asked.scripts, "play each line of this file: SEED [STEPS]");
  app.add_flag("--trace", asked.trace, "print every event");
  app.add_flag("--shrink", asked.shrinks, "find the fewest steps of --seed that still fail")->needs(seed);
  scripts->excludes(minutes)->excludes(seed);
  CLI11_PARSE(app, argc, argv);
  if (!asked.without.empty()) {
    const auto steps = parse_steps(asked.without);
    if (!steps) throw std::runtime_error("--without " + asked.without + ": not a list of steps such as 3-17,20");
    asked.plays.without = *steps;
  }
  catch_crashes();
  // A thread finds its record of an engine by the engine's address, and whether it needs memory for that depends on the
  // addresses that engines had before. With a heap for each thread these would be others in each run.
  mallopt(M_ARENA_MAX, 1);
  if (!asked.scripts.empty()) {
    for (const script& each : read_scripts(asked.scripts)) play_one(each, asked.trace);
  } else if (asked.minutes > 0) {
    explore(asked.minutes, *seed ? asked.plays.seed : std::random_device{}());
  } else if (!*seed) {
    throw std::runtime_error("--minutes, --seed or --seeds is needed (--help lists the options)");
  } else if (asked.shrinks) {
    return shrink_and_tell(asked.plays);
  } else {
    play_one(asked.plays, asked.trace);
  }
} catch (const std::exception& problem) {
  std::fprintf(stderr, "stress_sim: %s\n", problem.what());
  return 2;
}
