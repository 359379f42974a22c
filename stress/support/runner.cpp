// SPDX-License-Identifier: MIT
#include "support/runner.hpp"

#include "support/random.hpp"
#include "support/yield_points.hpp"

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

const program* running = nullptr;
std::atomic<std::uint64_t> seed_of_round{0};
std::atomic<unsigned> threads_of_round{0};
std::atomic<bool> failing{false};

struct settings {
  double minutes = 0.05;
  std::uint64_t operations = 0;  // 0: as many as there is time for
  unsigned threads = 3;
  std::uint64_t seed = std::random_device{}();
  std::int64_t yield_every = -1;  // -1: by the seed
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
  const std::uint32_t every = chosen.yield_every < 0 ? often[random_numbers(~seed).below(often.size())]
                                                     : static_cast<std::uint32_t>(chosen.yield_every);
  yield_at_random(seed, every);
}

void play_rounds(const program& what, settings chosen) {
  std::printf("%s: seed %llu\n", what.name, static_cast<unsigned long long>(chosen.seed));
  std::fflush(stdout);
  const auto start = detent::clock::now();
  const auto end =
      start + std::chrono::duration_cast<detent::duration>(std::chrono::duration<double>(chosen.minutes * 60));
  const std::uint64_t wanted = chosen.operations == 0 ? std::numeric_limits<std::uint64_t>::max() : chosen.operations;
  std::uint64_t done = 0, rounds = 0;
  watchdog dog;
  threads_of_round = chosen.threads;
  do {
    dog.round_begins();
    seed_of_round = chosen.seed;
    choose_yields(chosen, chosen.seed);
    const auto until = std::min(end, detent::clock::now() + what.round_length);
    done += what.play({.seed = chosen.seed, .threads = chosen.threads, .until = until, .operations = wanted - done});
    ++chosen.seed;
    ++rounds;
  } while (done < wanted && detent::clock::now() < end);
  const double seconds = std::chrono::duration<double>(detent::clock::now() - start).count();
  std::printf("%s: %llu rounds, %llu %s in %.1f s, %.3g a second; nothing wrong\n", what.name,
              static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(done), what.counted, seconds,
              static_cast<double>(done) / seconds);
}

}  // namespace

int run(int argc, char** argv, const program& what) {
  running = &what;
  CLI::App app(what.description);
  settings chosen;
  chosen.threads = what.threads;
  CLI::Option* minutes =
      app.add_option("--minutes", chosen.minutes, "how long; default 0.05")->check(CLI::Range(0.0, 1e6));
  app.add_option("--operations", chosen.operations, std::string("ends after so many ") + what.counted)
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
  app.add_option("--threads", chosen.threads, "that use the engine")->check(CLI::Range(1u, 256u));
  app.add_option("--seed", chosen.seed, "of the first round; each next one has the next number");
  if (have_yield_points())
    app.add_option("--yield", chosen.yield_every, "one operation in so many yields, 0: none; default: by the seed")
        ->check(CLI::Range(0, 1 << 30));
  if (what.more_options != nullptr) what.more_options(app);
  CLI11_PARSE(app, argc, argv);
  if (chosen.operations != 0 && minutes->count() == 0) chosen.minutes = 1e6;
  play_rounds(what, chosen);
  return 0;
}

void fail(const char* what) {
  if (!failing.exchange(true)) {
    const auto seed = static_cast<unsigned long long>(seed_of_round.load());
    const unsigned threads = threads_of_round.load();
    std::fprintf(stderr, "%s: %s (seed %llu; again: --seed %llu --threads %u)\n", running->name, what, seed, seed,
                 threads);
    std::fflush(nullptr);
    std::_Exit(1);
  }
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));  // the first to fail ends the process
}

}  // namespace stress
