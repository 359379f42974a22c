// SPDX-License-Identifier: MIT
// An executor that does all that one may do: refuses, runs at once, runs later and elsewhere, takes its time, drops,
// and keeps things beyond the engine's end. Each timer fires, is cancelled, dropped or returned, and nothing fires
// twice.
#include "support/callables.hpp"
#include "support/crew.hpp"
#include "support/engines.hpp"
#include "support/ledger.hpp"
#include "support/runner.hpp"

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace {

using namespace stress;
using namespace std::chrono_literals;

class moody_executor final : public detent::executor {
 public:
  explicit moody_executor(std::uint64_t seed) : random_(seed), mood_(random_.below(4)) {}

  bool execute(detent::fired_timer&& work) noexcept override {
    if (random_.one_in(64)) mood_ = random_.below(4);
    const std::uint64_t drawn = random_.below(16);
    if (drawn < (mood_ == 0 ? 14 : 3)) {
      ++refusals_;
      return false;
    }
    if (drawn == 15) {  // slow
      for (const auto until = detent::clock::now() + 20us; detent::clock::now() < until;) {
      }
    }
    if (mood_ == 1) {
      work();
      return true;
    }
    if (drawn == 14) {  // lets go of it
      detent::fired_timer dropped(std::move(work));
      return true;
    }
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(work));
    return true;
  }

  // By the round's own threads: something that was kept is run, dropped or moved about. False: there is nothing.
  bool work_off(random_numbers& random) {
    std::unique_lock lock(mutex_);
    if (waiting_.empty()) return false;
    const bool oldest = random.one_in(2);
    detent::fired_timer work = std::move(oldest ? waiting_.front() : waiting_.back());
    if (oldest) {
      waiting_.pop_front();
    } else {
      waiting_.pop_back();
    }
    if (random.one_in(8) && !waiting_.empty()) {
      std::swap(work, waiting_.front());
    }
    lock.unlock();
    if (random.one_in(16)) return true;  // dropped
    work();
    if (random.one_in(4)) work();  // nothing: it has run
    return true;
  }

  // On the engine's thread, so exact when the engine has stopped.
  std::uint64_t refusals() const noexcept { return refusals_; }

 private:
  random_numbers random_;
  std::uint64_t mood_;
  std::uint64_t refusals_ = 0;
  std::mutex mutex_;
  std::deque<detent::fired_timer> waiting_;
};

class user {
 public:
  user(detent::engine& engine, moody_executor& executor, ledger& accounts, random_numbers& random)
      : engine_(engine), executor_(executor), accounts_(accounts), random_(random) {}

  void step() {
    if (random_.one_in(2) && executor_.work_off(random_)) return;
    ++mine_.operations;
    account& at = accounts_.any(random_);
    sighting seen = at.look();
    if (!seen || at.ended(seen.life)) {
      outcome before = outcome::unborn;
      const auto deadline = detent::clock::now() + random_delay(random_) / 16;
      mine_.scheduled += static_cast<bool>(schedule(engine_, at, deadline, random_, random_.one_in(4), &before));
      mine_.count_end(before);
    } else if (random_.one_in(3)) {
      accounts_.take_note(mine_, seen, at.cancel(seen, random_.one_in(8)));
    } else if (random_.one_in(2)) {
      mine_.restarted += at.restart(seen, detent::clock::now() + random_delay(random_) / 16);
    }
  }
  const tally& counts() const noexcept { return mine_; }

 private:
  detent::engine& engine_;
  moody_executor& executor_;
  ledger& accounts_;
  random_numbers& random_;
  tally mine_;
};

std::uint64_t play(const round_plan& plan) {
  random_numbers random(plan.seed);
  ledger accounts(16384, std::size_t{1} << (4 + random.below(6)));
  account::nobody_fires = false;
  auto executor = std::make_shared<moody_executor>(random());
  {
    detent::engine_options options = inline_options(random);
    options.executor = executor;
    constexpr detent::refusal_policy policies[] = {detent::refusal_policy::run_inline, detent::refusal_policy::retry,
                                                   detent::refusal_policy::drop};
    options.on_refusal = policies[random.below(3)];
    detent::engine engine(std::move(options));
    std::vector<tally> tallies(plan.threads);
    crew threads(plan.threads, plan.seed, [&](unsigned i, random_numbers& mine) {
      user each(engine, *executor, accounts, mine);
      while (detent::clock::now() < plan.until && !accounts.used_up() &&
             each.counts().operations * plan.threads < plan.operations)
        each.step();
      tallies[i] = each.counts();
    });
    threads.join();
    std::vector<detent::unfired> left = engine.stop();
    account::nobody_fires = true;
    const std::uint64_t returned = left.size();
    accounts.returned(std::move(left), random);
    const detent::engine_metrics reported = engine.metrics();
    require(reported.refused == executor->refusals(), "the metrics: refused");
    require(reported.returned == returned, "the metrics: returned");
    require(accounts.end_silent(outcome::dropped) <= reported.dropped, "timers are gone that were not dropped");
    for (const tally& each : tallies) accounts.add(each);
  }
  while (executor->work_off(random)) {  // the engine is gone: nothing may happen
  }
  accounts.balance();
  return accounts.total().operations;
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv,
             {.name = "refusing_executors",
              .description = "Hands timers to an executor that refuses, delays, drops and keeps them.",
              .counted = "operations",
              .play = play});
}
