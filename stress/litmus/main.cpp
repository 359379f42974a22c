// SPDX-License-Identifier: MIT
// Runs every pair of calls on two threads again and again, with yields at random inside the engine, and counts the
// outcomes. A forbidden one fails. An allowed one that never came is told. Prints its seed; the interleaving is the
// machine's.
#include <litmus/arena.hpp>
#include <search/meetings/hooks.hpp>

#include <CLI/CLI.hpp>

#include <sched.h>

#include <chrono>
#include <cstdio>
#include <iterator>
#include <map>
#include <random>
#include <semaphore>
#include <thread>

namespace {

using clock = std::chrono::steady_clock;
using counts = std::map<std::string, std::uint64_t>;

// Rounds on one engine: enough to make it warm, few enough for its memory to be another one now and then.
constexpr int rounds_an_engine = 200;

// The left thread, and where it meets the right one.
class meeting {
 public:
  meeting() : left_([this] { work(); }) {}
  ~meeting() {
    arena_ = nullptr;
    go_.store(++round_);
    left_.join();
  }
  // One round in `where`, prepared.
  void run(litmus::arena& where) {
    arena_ = &where;
    go_.store(++round_);
    while (ready_.load() != round_) sched_yield();
    where.run_right();
    while (done_.load() != round_) sched_yield();
  }

 private:
  void work() {
    for (std::uint64_t next = 1;; ++next) {
      while (go_.load() != next) sched_yield();
      if (arena_ == nullptr) return;
      ready_.store(next);
      arena_->run_left();
      done_.store(next);
    }
  }

  litmus::arena* arena_ = nullptr;
  std::uint64_t round_ = 0;
  std::atomic<std::uint64_t> go_{0}, ready_{0}, done_{0};
  std::thread left_;
};

void play(const litmus::pair& of, std::mt19937_64& random, clock::time_point until, counts& seen) {
  meeting threads;
  do {
    litmus::arena where(of, random());
    for (int round = 0; round < (of.ends_engine ? 1 : rounds_an_engine); ++round) {
      where.prepare();
      threads.run(where);
      ++seen[where.settle()];
    }
  } while (clock::now() < until);
}

// Prints the rows with their counts; says how many forbidden outcomes came.
std::uint64_t report(const litmus::pair& of, counts seen, bool& all_seen) {
  std::uint64_t forbidden = 0;
  std::printf("\n%s\n", of.name);
  for (const litmus::row& each : of.rows) {
    const std::uint64_t count = seen[each.outcome];
    seen.erase(each.outcome);
    const char* remark = "";
    if (each.allowed && count == 0) {
      remark = "   <- never seen";
      all_seen = false;
    }
    if (!each.allowed && count != 0) {
      remark = "   <- FORBIDDEN";
      forbidden += count;
    }
    std::printf("  %10llu  %-9s  %s%s\n", static_cast<unsigned long long>(count),
                each.allowed ? "allowed" : "forbidden", each.outcome, remark);
  }
  for (const auto& [outcome, count] : seen) {
    std::printf("  %10llu  %-9s  %s   <- FORBIDDEN: in no row\n", static_cast<unsigned long long>(count), "forbidden",
                outcome.c_str());
    forbidden += count;
  }
  return forbidden;
}

void print_tables(const std::vector<litmus::pair>& pairs) {
  std::printf("| pair | outcome | | why |\n|---|---|---|---|\n");
  for (const litmus::pair& of : pairs) {
    std::string name = of.name;
    name.insert(name.find('|'), "\\");
    for (const litmus::row& each : of.rows) {
      std::printf("| %s | %s | %s | %s |\n", name.c_str(), each.outcome, each.allowed ? "allowed" : "**forbidden**",
                  each.why);
      name.clear();
    }
  }
}

std::vector<litmus::pair> all_pairs() {
  std::vector<litmus::pair> all;
  for (auto some : {litmus::cancel_pairs(), litmus::restart_pairs(), litmus::stop_pairs()})
    std::move(some.begin(), some.end(), std::back_inserter(all));
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Two calls at once on one timer, again and again: which outcomes come, and whether they may.");
  double minutes = 0.05;
  std::uint64_t seed = std::random_device{}();
  std::uint32_t every = 12;
  std::string only;
  bool tables = false;
  app.add_option("--minutes", minutes, "how long, all pairs together")->check(CLI::PositiveNumber);
  app.add_option("--seed", seed, "of the yields and of the rounds");
  app.add_option("--yield-every", every, "operations between two yields, on average; 0: none");
  app.add_option("--only", only, "the pairs whose name contains this");
  app.add_flag("--tables", tables, "print the tables and run nothing");
  CLI11_PARSE(app, argc, argv);

  std::vector<litmus::pair> pairs = all_pairs();
  std::erase_if(pairs,
                [&](const litmus::pair& each) { return std::string(each.name).find(only) == std::string::npos; });
  if (pairs.empty()) {
    std::fprintf(stderr, "litmus: --only %s: no pair has such a name\n", only.c_str());
    return 2;
  }
  if (tables) {
    print_tables(pairs);
    return 0;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a broken check of the engine aborts: the seed is out by then
  std::printf("litmus: seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  const auto each_lasts = std::chrono::duration_cast<clock::duration>(
      std::chrono::duration<double>(minutes * 60 / static_cast<double>(pairs.size())));
  std::uint64_t forbidden = 0;
  bool all_seen = true;
  for (const litmus::pair& of : pairs) {
    counts seen;
    // stop() looks at every node, twice: with as many yields each would take so long that the other call is over.
    hooks::yield_at_random(random(), of.ends_engine ? 8 * every : every);
    play(of, random, clock::now() + each_lasts, seen);
    forbidden += report(of, std::move(seen), all_seen);
  }
  std::printf("\nlitmus: %zu pairs, %llu forbidden outcomes%s\n", pairs.size(),
              static_cast<unsigned long long>(forbidden), all_seen ? "" : ", some allowed ones never seen");
  if (forbidden != 0)
    std::fprintf(stderr, "litmus: a forbidden outcome (seed %llu)\n", static_cast<unsigned long long>(seed));
  return forbidden == 0 ? 0 : 1;
}
