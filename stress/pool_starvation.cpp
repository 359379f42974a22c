// SPDX-License-Identifier: MIT
// A pool whose threads are all blocked, behind a queue that is soon full, under every refusal policy: what waits there
// can be cancelled and restarted still, and when the pool goes on each timer has fired, been cancelled, or been
// dropped.
#include "support/callables.hpp"
#include "support/crew.hpp"
#include "support/engines.hpp"
#include "support/ledger.hpp"
#include "support/runner.hpp"

#include <memory>
#include <vector>

namespace {

using namespace stress;
using namespace std::chrono_literals;

class user {
 public:
  user(detent::engine& engine, ledger& accounts, random_numbers& random)
      : engine_(engine), accounts_(accounts), random_(random) {}

  void step() {
    ++mine_.operations;
    account& at = accounts_.any(random_);
    sighting seen = at.look();
    if (!seen || at.ended(seen.life)) {
      outcome before = outcome::unborn;
      const auto deadline = detent::clock::now() + detent::duration(random_.below(100'000));
      mine_.scheduled += static_cast<bool>(schedule(engine_, at, deadline, random_, random_.one_in(4), &before));
      mine_.count_end(before);
    } else if (random_.one_in(2)) {
      // cancel_and_wait would wait for the gate, and the gate opens by time alone: it does no harm.
      accounts_.take_note(mine_, seen, at.cancel(seen, random_.one_in(16)));
    } else {
      mine_.restarted += at.restart(seen, detent::clock::now() + detent::duration(random_.below(100'000)));
    }
    if (random_.one_in(32)) std::this_thread::sleep_for(detent::duration(random_.below(200'000)));
  }
  const tally& counts() const noexcept { return mine_; }

 private:
  detent::engine& engine_;
  ledger& accounts_;
  random_numbers& random_;
  tally mine_;
};

// Blocks as many callbacks as there are threads, now and again, until `over`.
class starver {
 public:
  starver(detent::engine& engine, std::size_t threads) : engine_(engine), threads_(threads) {}

  std::uint64_t starve(detent::time_point until, const ledger& accounts, random_numbers& random) {
    std::uint64_t blockers = 0;
    while (detent::clock::now() < until && !accounts.used_up()) {
      closed_ = true;
      for (std::size_t i = 0; i < threads_; ++i) {
        engine_.schedule_after(0ns, [gate = &closed_] {
          while (*gate) std::this_thread::sleep_for(50us);
        });
        ++blockers;
      }
      std::this_thread::sleep_for(detent::duration(random.below(3'000'000)));
      closed_ = false;
      std::this_thread::sleep_for(detent::duration(random.below(500'000)));
    }
    return blockers;
  }

 private:
  detent::engine& engine_;
  std::size_t threads_;
  std::atomic<bool> closed_{false};
};

std::uint64_t play(const round_plan& plan) {
  random_numbers random(plan.seed);
  ledger accounts(16384, std::size_t{1} << (4 + random.below(6)));
  account::nobody_fires = false;
  detent::engine_options options = inline_options(random);
  const std::size_t pool_threads = 1 + random.below(3);
  options.executor = std::make_shared<detent::thread_pool>(
      detent::thread_pool_options{.threads = pool_threads, .queue_capacity = std::size_t{1} << random.below(8)});
  constexpr detent::refusal_policy policies[] = {detent::refusal_policy::run_inline, detent::refusal_policy::retry,
                                                 detent::refusal_policy::drop};
  options.on_refusal = policies[random.below(3)];
  const bool drops = options.on_refusal == detent::refusal_policy::drop;
  detent::engine engine(std::move(options));
  std::vector<tally> tallies(plan.threads);
  std::atomic<bool> over{false};
  starver gate(engine, pool_threads);
  crew threads(plan.threads, plan.seed, [&](unsigned i, random_numbers& mine) {
    user each(engine, accounts, mine);
    while (!over) each.step();
    tallies[i] = each.counts();
  });
  const std::uint64_t blockers = gate.starve(plan.until, accounts, random);
  over = true;
  threads.join();
  const auto latest = detent::clock::now() + 1min;
  while (engine.pending() != 0) {
    require(detent::clock::now() < latest, "something is pending for ever after a pool was starved");
    std::this_thread::yield();
  }
  require(engine.stop().empty(), "stop() returned timers although none was pending");
  const detent::engine_metrics reported = engine.metrics();
  const std::uint64_t silent = accounts.end_silent(outcome::dropped);
  for (const tally& each : tallies) accounts.add(each);
  accounts.balance();
  const tally& mine = accounts.total();
  // A blocker may have been dropped as well.
  require(silent <= reported.dropped && (drops || reported.dropped == 0), "timers are gone that were not dropped");
  require(mine.ended_fired + blockers == reported.fired + (reported.dropped - mine.ended_dropped),
          "the metrics: fired");
  require(mine.scheduled + blockers == reported.scheduled && mine.restarted == reported.restarted,
          "the metrics: scheduled");
  return mine.operations;
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv,
             {.name = "pool_starvation",
              .description = "Starves a pool, and cancels and restarts what waits for it.",
              .counted = "operations",
              .play = play});
}
