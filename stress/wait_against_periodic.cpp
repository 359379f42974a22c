// SPDX-License-Identifier: MIT
// Periodic timers and such as re-arm themselves, against threads that cancel and wait, cancel, and restart them: once
// cancel_and_wait() has returned, nobody is in the callback and nobody will be, so what it uses may be destroyed.
#include "support/crew.hpp"
#include "support/engines.hpp"
#include "support/runner.hpp"

#include <detent/detent.hpp>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace {

using namespace stress;
using namespace std::chrono_literals;

// What a callback uses. Destroyed some time after its timer's end, so that a late run finds `closed` and not nothing.
struct subject {
  std::uint64_t runs = 0;  // not atomic: a run that overlaps another, or the wait for it, is a data race
  std::atomic<bool> inside{false};
  std::atomic<bool> closed{false};
  std::uint64_t most_runs = 0;  // 0: no limit
  random_numbers random{0};
};

struct rivals_table {
  std::mutex mutex;
  std::vector<detent::timer> timers;
};

void use(subject& used, detent::firing& run) {
  require(!used.closed, "a callback ran after cancel_and_wait() had returned");
  require(!used.inside.exchange(true), "two runs of one timer overlap");
  require(run.lateness() >= 0ns, "a timer ran before its deadline");
  ++used.runs;
  require(used.most_runs == 0 || used.runs <= used.most_runs, "more runs than were asked for");
  if (used.random.one_in(64)) {
    detent::timer self = run.self();
    const detent::cancel_result ended = used.random.one_in(2) ? self.cancel_and_wait() : self.cancel();
    require(ended == detent::cancel_result::running, "a callback's own cancel does not say running");
    used.most_runs = used.runs;
  }
  for (std::uint64_t i = used.random.below(256); i != 0; --i) require(used.inside, "two runs of one timer overlap");
  used.inside = false;
}

class owner {
 public:
  owner(detent::engine& engine, rivals_table& rivals, unsigned number, random_numbers& random)
      : engine_(engine), rivals_(rivals), number_(number), random_(random) {}

  void step() {
    auto mine = std::make_unique<subject>();
    mine->random = random_numbers(random_());
    detent::timer made = schedule(*mine);
    require(static_cast<bool>(made), "an engine that runs refuses a timer");
    {
      std::lock_guard lock(rivals_.mutex);
      rivals_.timers[number_] = made;
    }
    for (std::uint64_t i = random_.below(8); i != 0; --i) disturb();
    const auto until = detent::clock::now() + detent::duration(random_.below(4) * random_.below(50'000));
    while (detent::clock::now() < until) {
    }
    if (random_.one_in(4)) {
      detent::scoped_timer scoped(made);
    } else {
      made.cancel_and_wait();
    }
    require(!mine->inside, "cancel_and_wait() returned during a run");
    mine->closed = true;
    mine->runs = 0;  // a run that is still on is a data race with this
    require(!made.pending() && !made.restart_after(0ns), "a timer is alive after cancel_and_wait()");
    closed_.push_back(std::move(mine));
    if (closed_.size() > 256) closed_.pop_front();
  }

 private:
  detent::timer schedule(subject& mine) {
    const detent::duration period(1 + random_.below(4) * random_.below(20'000));
    const detent::duration initial = random_delay(random_) / 64;
    auto callback = [used = &mine](detent::firing& run) { use(*used, run); };
    constexpr detent::missed_ticks policies[] = {detent::missed_ticks::skip, detent::missed_ticks::burst,
                                                 detent::missed_ticks::delay};
    detent::periodic_options options{.missed = policies[random_.below(3)], .runs = 0};
    if (random_.one_in(3)) options.runs = mine.most_runs = 1 + random_.below(4);
    switch (random_.below(3)) {
      case 0: return engine_.try_schedule_at_fixed_rate(initial, period, callback, options);
      case 1: return engine_.try_schedule_with_fixed_delay(initial, period, callback, options);
      default:
        mine.most_runs = 0;
        return engine_.try_schedule_after(initial, [used = &mine, period](detent::firing& run) {
          use(*used, run);
          if (used->random.one_in(8)) return;
          run.rearm_after(period);
        });
    }
  }

  // What the others do to somebody's timer meanwhile.
  void disturb() {
    detent::timer victim;
    {
      std::lock_guard lock(rivals_.mutex);
      victim = rivals_.timers[random_.below(rivals_.timers.size())];
    }
    switch (random_.below(6)) {
      case 0: victim.cancel_and_wait(); return;
      case 1: victim.cancel(); return;
      case 2: static_cast<void>(victim.pending()); return;
      default: victim.restart_after(random_delay(random_) / 64);
    }
  }

  detent::engine& engine_;
  rivals_table& rivals_;
  unsigned number_;
  random_numbers& random_;
  std::deque<std::unique_ptr<subject>> closed_;
};

std::uint64_t play(const round_plan& plan) {
  random_numbers random(plan.seed);
  rivals_table rivals;
  rivals.timers.resize(plan.threads);
  std::atomic<std::uint64_t> waits{0};
  {
    detent::engine engine(random_options(random));
    std::vector<std::unique_ptr<owner>> owners(plan.threads);
    crew threads(plan.threads, plan.seed, [&](unsigned i, random_numbers& mine) {
      owners[i] = std::make_unique<owner>(engine, rivals, i, mine);
      while (detent::clock::now() < plan.until && waits < plan.operations) {
        owners[i]->step();
        ++waits;
      }
    });
    threads.join();
    require(engine.stop().empty(), "a timer is left after its cancel_and_wait()");
    const detent::engine_metrics reported = engine.metrics();
    require(reported.pending == 0 && reported.scheduled == waits &&
                reported.scheduled == reported.expired + reported.cancelled,
            "the metrics do not add up");
  }
  return waits;
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv,
             {.name = "wait_against_periodic",
              .description = "Cancels and waits for periodic timers that run, are restarted and cancelled by others.",
              .counted = "waits",
              .play = play});
}
