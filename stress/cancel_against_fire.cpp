// SPDX-License-Identifier: MIT
// Timers that come due at one moment, and threads that cancel them all around that moment: each is fired or cancelled,
// one of the two, and what cancel() answered is what happened.
#include "support/callables.hpp"
#include "support/crew.hpp"
#include "support/engines.hpp"
#include "support/ledger.hpp"
#include "support/runner.hpp"

#include <barrier>
#include <vector>

namespace {

using namespace stress;
using namespace std::chrono_literals;

constexpr std::size_t timers_each = 24;

struct salvo {
  detent::engine& engine;
  ledger& accounts;
  detent::time_point aim;
  std::barrier<> together;
};

class canceller {
 public:
  canceller(salvo& with, unsigned number, random_numbers& random) : with_(with), number_(number), random_(random) {}

  // One salvo: all threads schedule, all cancel everything, all check.
  void shoot() {
    if (number_ == 0) with_.aim = detent::clock::now() + 20us + detent::duration(random_.below(150'000));
    with_.together.arrive_and_wait();
    for (std::size_t i = 0; i < timers_each; ++i) load(own(i));
    with_.together.arrive_and_wait();
    wait_for(with_.aim - 20us + detent::duration(random_.below(60'000)));
    const std::size_t first = random_.below(with_.accounts.size());
    gone_.clear();
    for (std::size_t i = 0; i < with_.accounts.size(); ++i)
      cancel(with_.accounts.at((first + i) % with_.accounts.size()));
    with_.together.arrive_and_wait();
    // Whoever cancelled has accounted for it by now, and so has whatever had fired.
    for (const sighting& each : gone_) require(each.of->ended(each.life), "cancel() says gone, and it is not");
    with_.together.arrive_and_wait();
  }
  void finish() {
    for (std::size_t i = 0; i < timers_each; ++i) await(own(i));
  }
  const tally& counts() const noexcept { return mine_; }

 private:
  account& own(std::size_t i) { return with_.accounts.at(number_ * timers_each + i); }

  void load(account& at) {
    await(at);
    outcome before = outcome::unborn;
    const auto deadline = with_.aim + detent::duration(random_.below(4) * random_.below(8'000));
    while (!schedule(with_.engine, at, deadline, random_, false, &before)) std::this_thread::yield();
    ++mine_.scheduled;
    mine_.count_end(before);
  }

  void cancel(account& at) {
    sighting seen = at.look();
    if (random_.one_in(16)) wait_for(detent::clock::now() + detent::duration(random_.below(4'000)));
    const bool wait = random_.one_in(8);
    ++mine_.operations;
    switch (at.cancel(seen, wait)) {
      case detent::cancel_result::cancelled: ++mine_.cancelled; return;
      case detent::cancel_result::gone: gone_.push_back(seen); return;
      case detent::cancel_result::running:
        require(!wait || at.ended(seen.life), "cancel_and_wait() did not wait for the run");
        return;
    }
  }

  static void await(account& at) {
    const auto latest = detent::clock::now() + 1min;
    for (sighting seen = at.look(); seen && !at.ended(seen.life);) {
      require(detent::clock::now() < latest, "a timer was neither fired nor cancelled");
      std::this_thread::yield();
    }
  }
  static void wait_for(detent::time_point when) {
    while (detent::clock::now() < when) {
    }
  }

  salvo& with_;
  unsigned number_;
  random_numbers& random_;
  tally mine_;
  std::vector<sighting> gone_;
};

std::uint64_t play(const round_plan& plan) {
  random_numbers random(plan.seed);
  ledger accounts(plan.threads * timers_each);
  account::nobody_fires = false;
  detent::engine engine(random_options(random));
  salvo shared{engine, accounts, {}, std::barrier<>(plan.threads)};
  std::vector<tally> tallies(plan.threads);
  std::atomic<bool> go_on{true};
  crew threads(plan.threads, plan.seed, [&](unsigned i, random_numbers& mine) {
    canceller each(shared, i, mine);
    while (true) {
      shared.together.arrive_and_wait();
      if (i == 0 && (detent::clock::now() >= plan.until || each.counts().operations * plan.threads > plan.operations))
        go_on = false;
      shared.together.arrive_and_wait();
      if (!go_on) break;
      each.shoot();
    }
    each.finish();
    tallies[i] = each.counts();
  });
  threads.join();
  require(engine.stop().empty(), "stop() returned a timer that had ended");
  for (const tally& each : tallies) accounts.add(each);
  const detent::engine_metrics told = engine.metrics();
  accounts.balance(&told);
  return accounts.total().operations;
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv,
             {.name = "cancel_against_fire",
              .description = "Cancels timers from many threads at the moment when they come due.",
              .counted = "cancels",
              .play = play});
}
