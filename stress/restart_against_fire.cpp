// SPDX-License-Identifier: MIT
// Timers restarted again and again about the moment when they come due, by one thread or by several at once: each fires
// once, and at the deadline of the last restart that was accepted; one that was refused found it fired.
#include "support/callables.hpp"
#include "support/crew.hpp"
#include "support/engines.hpp"
#include "support/ledger.hpp"
#include "support/runner.hpp"

#include <algorithm>
#include <barrier>
#include <mutex>
#include <vector>

namespace {

using namespace stress;
using namespace std::chrono_literals;

constexpr std::size_t own_timers = 8, shared_timers = 8;

struct salvo {
  detent::engine& engine;
  ledger& accounts;  // each thread's own, then the shared
  detent::duration tick;
  std::barrier<> together;
  std::vector<detent::time_point> accepted[shared_timers];  // for the shared, by all threads
  std::mutex mutex;
};

class restarter {
 public:
  restarter(salvo& with, unsigned number, random_numbers& random) : with_(with), number_(number), random_(random) {}

  void shoot() {
    const std::size_t first_shared = with_.accounts.size() - shared_timers;
    for (std::size_t i = 0; i < own_timers; ++i) own_[i] = load(with_.accounts.at(number_ * own_timers + i), false);
    if (number_ == 0) {
      for (std::size_t i = 0; i < shared_timers; ++i)
        with_.accepted[i].assign(1, load(with_.accounts.at(first_shared + i), true));
    }
    with_.together.arrive_and_wait();
    for (std::uint64_t i = 0, times = random_.below(400); i < times; ++i) {
      if (random_.one_in(2)) {
        restart_own(random_.below(own_timers));
      } else {
        restart_shared(random_.below(shared_timers), first_shared);
      }
      if (random_.one_in(8)) pause(random_.below(4'000));
    }
    for (std::size_t i = 0; i < own_timers; ++i) {
      account& at = with_.accounts.at(number_ * own_timers + i);
      await(at);
      require(at.fired_for() == own_[i], "a timer fired, but not for its last accepted deadline");
    }
    with_.together.arrive_and_wait();
    if (number_ == 0) check_shared(first_shared);
    with_.together.arrive_and_wait();
  }
  const tally& counts() const noexcept { return mine_; }

 private:
  detent::time_point soon() {
    return detent::clock::now() + detent::duration(random_.below(8) * random_.below(10'000));
  }

  detent::time_point load(account& at, bool contended) {
    outcome before = outcome::unborn;
    for (;;) {
      const auto deadline = soon() + 10us;
      if (schedule(with_.engine, at, deadline, random_, contended, &before)) {
        ++mine_.scheduled;
        mine_.count_end(before);
        return rounded(deadline, with_.tick);
      }
      std::this_thread::yield();
    }
  }

  void restart_own(std::size_t i) {
    account& at = with_.accounts.at(number_ * own_timers + i);
    const sighting seen = at.look();
    const auto deadline = soon();
    ++mine_.operations;
    if (seen.of->restart(seen, deadline)) {
      ++mine_.restarted;
      own_[i] = rounded(deadline, with_.tick);
    }
  }

  void restart_shared(std::size_t i, std::size_t first_shared) {
    account& at = with_.accounts.at(first_shared + i);
    const sighting seen = at.look();
    const auto deadline = soon();
    ++mine_.operations;
    if (!seen.of->restart(seen, deadline)) return;
    ++mine_.restarted;
    std::lock_guard lock(with_.mutex);
    with_.accepted[i].push_back(rounded(deadline, with_.tick));
  }

  void check_shared(std::size_t first_shared) {
    for (std::size_t i = 0; i < shared_timers; ++i) {
      account& at = with_.accounts.at(first_shared + i);
      await(at);
      require(std::ranges::count(with_.accepted[i], at.fired_for()) != 0,
              "a timer fired for a deadline never accepted");
    }
  }

  static void await(account& at) {
    const auto latest = detent::clock::now() + 1min;
    for (const sighting seen = at.look(); !at.ended(seen.life);) {
      require(detent::clock::now() < latest, "a restarted timer does not fire");
      std::this_thread::yield();
    }
  }
  static void pause(std::uint64_t length) {
    for (const auto until = detent::clock::now() + detent::duration(length); detent::clock::now() < until;) {
    }
  }

  salvo& with_;
  unsigned number_;
  random_numbers& random_;
  tally mine_;
  detent::time_point own_[own_timers];  // the last accepted deadlines
};

std::uint64_t play(const round_plan& plan) {
  random_numbers random(plan.seed);
  ledger accounts(plan.threads * own_timers + shared_timers);
  account::nobody_fires = false;
  detent::engine_options options = random_options(random);
  const detent::duration tick = options.tick;
  detent::engine engine(std::move(options));
  salvo shared{engine, accounts, tick, std::barrier<>(plan.threads), {}, {}};
  std::vector<tally> tallies(plan.threads);
  std::atomic<bool> go_on{true};
  crew threads(plan.threads, plan.seed, [&](unsigned i, random_numbers& mine) {
    restarter each(shared, i, mine);
    while (true) {
      if (i == 0 && (detent::clock::now() >= plan.until || each.counts().operations * plan.threads > plan.operations))
        go_on = false;
      shared.together.arrive_and_wait();
      if (!go_on) break;
      each.shoot();
    }
    tallies[i] = each.counts();
  });
  threads.join();
  require(engine.stop().empty(), "stop() returned a timer that had ended");
  for (const tally& each : tallies) accounts.add(each);
  const detent::engine_metrics reported = engine.metrics();
  accounts.balance(&reported);
  return accounts.total().operations;
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv,
             {.name = "restart_against_fire",
              .description = "Restarts timers, alone and against each other, at the moment when they come due.",
              .counted = "restarts",
              .play = play});
}
