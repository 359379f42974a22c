// SPDX-License-Identifier: MIT
// stop(), from several threads, against threads that go on scheduling, cancelling, restarting, waiting and counting:
// each timer fires, is cancelled, or is returned, and when stop() is over nothing runs and nothing can be scheduled.
#include "support/callables.hpp"
#include "support/crew.hpp"
#include "support/engines.hpp"
#include "support/ledger.hpp"
#include "support/runner.hpp"

#include <vector>

namespace {

using namespace stress;
using namespace std::chrono_literals;

class user {
 public:
  user(detent::engine& engine, ledger& accounts, random_numbers& random)
      : engine_(engine), accounts_(accounts), random_(random) {}

  // Goes on for some calls after the stop.
  void run() {
    for (int after = 0; after < 8;) {
      if (engine_.stopped()) ++after;
      for (int i = 0; i < 16; ++i) step();
      std::this_thread::yield();  // to the threads that stop
    }
  }
  const tally& counts() const noexcept { return mine_; }

 private:
  void step() {
    ++mine_.operations;
    account& at = accounts_.any(random_);
    sighting seen = at.look();
    if (!seen || at.ended(seen.life)) return make(at);
    switch (random_.below(8)) {
      case 0: static_cast<void>(engine_.pending()); break;
      case 1: static_cast<void>(engine_.metrics()); break;
      case 2: mine_.cancelled += at.cancel(seen, true) == detent::cancel_result::cancelled; break;
      case 3:
      case 4: mine_.cancelled += at.cancel(seen) == detent::cancel_result::cancelled; break;
      default: {
        const bool over = account::nobody_fires;
        const bool moved = at.restart(seen, detent::clock::now() + random_delay(random_));
        require(!moved || !over, "a timer was restarted after stop()");
        mine_.restarted += moved;
      }
    }
  }

  void make(account& at) {
    const bool over = account::nobody_fires;
    outcome before = outcome::unborn;
    const auto deadline = detent::clock::now() + random_delay(random_) / 16;
    sighting made = schedule(engine_, at, deadline, random_, random_.one_in(4), &before);
    mine_.count_end(before);
    require(!made || !over, "a timer was scheduled after stop()");
    mine_.scheduled += static_cast<bool>(made);
    mine_.refused += !made && engine_.stopped();
  }

  detent::engine& engine_;
  ledger& accounts_;
  random_numbers& random_;
  tally mine_;
};

std::uint64_t play(const round_plan& plan) {
  random_numbers random(plan.seed);
  ledger accounts(std::size_t{1} << (3 + random.below(7)));
  account::nobody_fires = false;
  detent::engine_options options = random_options(random);
  options.reserve = 0;
  detent::engine engine(std::move(options));
  std::vector<tally> tallies(plan.threads);
  crew users(plan.threads, plan.seed, [&](unsigned i, random_numbers& mine) {
    user each(engine, accounts, mine);
    each.run();
    tallies[i] = each.counts();
  });
  const auto moment = detent::clock::now() + detent::duration(random.below(2'000'000));
  std::vector<detent::unfired> lefts[2];
  crew stoppers(2, ~plan.seed, [&](unsigned i, random_numbers& mine) {
    std::this_thread::sleep_until(moment + detent::duration(mine.below(50'000)));
    lefts[i] = engine.stop();
    account::nobody_fires = true;
  });
  stoppers.join();
  users.join();
  require(lefts[0].empty() || lefts[1].empty(), "two calls of stop() returned timers");
  for (const tally& each : tallies) accounts.add(each);
  const std::uint64_t returned = lefts[0].size() + lefts[1].size();
  accounts.returned(std::move(lefts[0].empty() ? lefts[1] : lefts[0]), random);
  const detent::engine_metrics reported = engine.metrics();
  accounts.balance(&reported);
  require(accounts.total().ended_returned == returned, "the ledger does not balance: returned");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv,
             {.name = "stop_against_all",
              .description = "Stops engines in the midst of everything that other threads do to them.",
              .counted = "stops",
              .play = play});
}
