// SPDX-License-Identifier: MIT
#include "storm/runner.hpp"

#include "storm/yield_points.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <random>
#include <thread>

namespace stress {
namespace {

constexpr std::chrono::minutes longest_round(5);

std::atomic<std::uint64_t> seed_of_round{0};
std::atomic<unsigned> threads_of_round{0};
std::atomic<const char*> preset_of_round{"all"};
std::atomic<bool> failing{false};

struct settings {
  double seconds = 3;
  std::uint64_t operations = 0;  // 0: as many as there is time for
  unsigned threads = 3;
  std::uint64_t seed = std::random_device{}();
  std::int64_t yield_every = -1;  // -1: by the seed
  bool walk = false;
  weight_options weighed;
};

// Says which round it is that hangs.
class watchdog {
 public:
  watchdog() : thread_([this] { watch(); }) {}
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog() {
    {
      std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void round_begins() {
    std::lock_guard lock(mutex_);
    latest_ = detent::clock::now() + longest_round;
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!done_) {
      if (changed_.wait_until(lock, latest_) == std::cv_status::timeout && detent::clock::now() >= latest_)
        fail("the round does not end");
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  detent::time_point latest_ = detent::clock::now() + longest_round;
  bool done_ = false;
  std::thread thread_;
};

void choose_yields(const settings& chosen, std::uint64_t seed) {
  if (!have_yield_points()) return;
  constexpr std::array<std::uint32_t, 4> often{4, 16, 64, 256};
  const std::uint32_t every =
      chosen.yield_every < 0 ? random_numbers(~seed).pick(often) : static_cast<std::uint32_t>(chosen.yield_every);
  yield_at_random(seed, every);
}

void play_rounds(settings chosen, tally (*play)(const round_plan&)) {
  std::printf("storm: seed %llu\n", static_cast<unsigned long long>(chosen.seed));
  std::fflush(stdout);
  const auto start = detent::clock::now();
  const auto end = start + std::chrono::duration_cast<detent::duration>(std::chrono::duration<double>(chosen.seconds));
  const std::uint64_t wanted = chosen.operations == 0 ? std::numeric_limits<std::uint64_t>::max() : chosen.operations;
  std::uint64_t done = 0, rounds = 0;
  const bool one_kind = !chosen.weighed.only().empty();
  const char* counted = "operations";
  watchdog dog;
  threads_of_round = chosen.threads;
  do {
    dog.round_begins();
    const preset kind = chosen.weighed.choose(chosen.seed);
    seed_of_round = chosen.seed;
    preset_of_round = kind.name;
    choose_yields(chosen, chosen.seed);
    const auto count = one_kind ? kind.count : &tally::operations;
    if (one_kind) counted = kind.counted;
    done += play({.seed = chosen.seed,
                  .threads = chosen.threads,
                  .until = std::min(end, detent::clock::now() + kind.round),
                  .operations = wanted - done,
                  .odds = kind.values,
                  .count = count}).*
            count;
    ++chosen.seed;
    ++rounds;
  } while (done < wanted && detent::clock::now() < end);
  const double seconds = std::chrono::duration<double>(detent::clock::now() - start).count();
  std::printf("storm: %llu rounds, %llu %s in %.1f s, %.3g a second; nothing wrong\n",
              static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(done), counted, seconds,
              static_cast<double>(done) / seconds);
}

}  // namespace

int run(int argc, char** argv, tally (*play)(const round_plan&), std::uint64_t (*walk)()) {
  CLI::App app("Random calls on real threads, and a ledger that accounts for every timer.");
  settings chosen;
  CLI::Option* seconds =
      app.add_option("--seconds", chosen.seconds, "how long; default 3")->check(CLI::Range(0.0, 1e8));
  app.add_option_function<double>(
         "--minutes", [&](double minutes) { chosen.seconds = minutes * 60; }, "the same in minutes")
      ->check(CLI::Range(0.0, 1e6))
      ->excludes(seconds);
  app.add_option("--operations", chosen.operations, "ends after so many; of --only threads, engines: so many of them")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
  app.add_option("--users", chosen.threads, "that use the engine; default 3")->check(CLI::Range(1u, 100u));
  app.add_option("--seed", chosen.seed, "of the first round; each next one has the next number");
  if (have_yield_points())
    app.add_option("--yield", chosen.yield_every, "one operation in so many yields, 0: none; default: by the seed")
        ->check(CLI::Range(0, 1 << 30));
  app.add_flag("--walk", chosen.walk, "use up one node's 2^27 generations instead: some seconds");
  chosen.weighed.add_to(app);
  CLI11_PARSE(app, argc, argv);
  if (chosen.operations != 0 && seconds->count() == 0) chosen.seconds = 1e8;
  if (chosen.walk) {
    std::printf("storm: %llu lives of one node; nothing wrong\n", static_cast<unsigned long long>(walk()));
    return 0;
  }
  play_rounds(std::move(chosen), play);
  return 0;
}

void fail(const char* what) {
  if (!failing.exchange(true)) {
    const auto seed = static_cast<unsigned long long>(seed_of_round.load());
    std::fprintf(stderr, "storm: %s (seed %llu; again: --only %s --seed %llu --users %u)\n", what, seed,
                 preset_of_round.load(), seed, threads_of_round.load());
    std::fflush(nullptr);
    std::_Exit(1);
  }
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));  // the first to fail ends the process
}

}  // namespace stress
