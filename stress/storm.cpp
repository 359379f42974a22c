// SPDX-License-Identifier: MIT
// Everything at once: threads that schedule, cancel and restart each other's timers while they fire, round after round
// with another engine each, and a ledger that accounts for every timer: it ends exactly once, never early, and takes
// its captures with it.
#include "support/callables.hpp"
#include "support/crew.hpp"
#include "support/engines.hpp"
#include "support/ledger.hpp"
#include "support/runner.hpp"

#include <algorithm>
#include <array>
#include <barrier>

namespace {

using namespace stress;

class producer {
 public:
  producer(detent::engine& engine, ledger& accounts, random_numbers& random)
      : engine_(engine), accounts_(accounts), random_(random) {}

  // `in_step`: no thread gets far ahead of the others, so that the orders which they count coincide.
  void run(detent::time_point until, std::uint64_t operations, std::barrier<>* in_step) {
    do {
      if (in_step != nullptr) in_step->arrive_and_wait();
      for (int i = 0, steps = in_step != nullptr ? 32 : 256; i < steps; ++i) step();
    } while (mine_.operations < operations && detent::clock::now() < until);
    if (in_step != nullptr) in_step->arrive_and_drop();
  }
  const tally& counts() const noexcept { return mine_; }

 private:
  void step() {
    account& at = accounts_.any(random_);
    if (sighting seen = at.look(); seen && !at.ended(seen.life)) return meet(seen);
    outcome before = outcome::unborn;
    const auto deadline = detent::clock::now() + random_delay(random_);
    sighting made = schedule(engine_, at, deadline, random_, random_.one_in(4), &before);
    mine_.count_end(before);
    if (!made) {
      mine_.refused += engine_.stopped();
      return;
    }
    ++mine_.operations;
    ++mine_.scheduled;
    old_[random_.below(old_.size())] = made;
  }

  void meet(const sighting& seen) {
    ++mine_.operations;
    const std::uint64_t drawn = random_.below(64);
    if (drawn < 32) {
      mine_.restarted += seen.of->restart(seen, detent::clock::now() + random_delay(random_));
    } else if (drawn < 56) {
      cancel(seen, drawn == 32);
    } else if (drawn < 60) {  // mostly stale by now
      const sighting& old = old_[random_.below(old_.size())];
      if (!old) return;
      if (random_.one_in(2)) return cancel(old, false);
      if (old.of->ended(old.life)) require(!old.handle.pending(), "a timer that has ended is pending");
      mine_.restarted += old.of->restart(old, detent::clock::now() + random_delay(random_));
    } else if (!seen.handle.pending()) {  // no more of it but the rest of its run, and perhaps its marks
      mine_.restarted += seen.of->restart(seen, detent::clock::now());
    }
  }

  void cancel(const sighting& seen, bool wait) {
    mine_.cancelled += seen.of->cancel(seen, wait) == detent::cancel_result::cancelled;
  }

  detent::engine& engine_;
  ledger& accounts_;
  random_numbers& random_;
  tally mine_;
  std::array<sighting, 64> old_{};
};

std::uint64_t play(const round_plan& plan) {
  random_numbers random(plan.seed);
  const bool in_step = random.one_in(4);
  const unsigned producers = in_step ? std::min(plan.threads, 2u) : plan.threads;
  const std::size_t size = std::size_t{1} << (in_step ? 1 + random.below(4) : 4 + random.below(9));
  ledger accounts(size);
  account::nobody_fires = false;
  {
    detent::engine engine(random_options(random));
    std::vector<tally> tallies(producers);
    std::barrier<> together(producers);
    crew threads(producers, plan.seed, [&](unsigned i, random_numbers& mine) {
      producer each(engine, accounts, mine);
      each.run(plan.until, plan.operations / producers + 1, in_step ? &together : nullptr);
      tallies[i] = each.counts();
    });
    std::vector<detent::unfired> left;
    const bool in_the_midst = random.one_in(4);
    if (in_the_midst) {
      std::this_thread::sleep_until(plan.until - (plan.until - detent::clock::now()) / 4);
      left = engine.stop();
      account::nobody_fires = true;
    }
    threads.join();
    if (!in_the_midst) left = engine.stop();
    account::nobody_fires = true;
    for (const tally& each : tallies) accounts.add(each);
    accounts.returned(std::move(left), random);
    const detent::engine_metrics reported = engine.metrics();
    accounts.balance(&reported);
  }
  return accounts.total().operations;
}

}  // namespace

int main(int argc, char** argv) {
  return run(
      argc, argv,
      {.name = "storm",
       .description = "Schedules, cancels and restarts from many threads while timers fire, and accounts for each.",
       .counted = "operations",
       .play = play});
}
