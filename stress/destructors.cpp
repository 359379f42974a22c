// SPDX-License-Identifier: MIT
// Callables whose destructors call back into the engine, wherever they are destroyed: after a run, in a cancel of any
// thread, by an executor that lets go of them, in what stop() returned, in ~engine.
#include "support/callables.hpp"
#include "support/crew.hpp"
#include "support/engines.hpp"
#include "support/ledger.hpp"
#include "support/runner.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace {

using namespace stress;
using namespace std::chrono_literals;

// What a round shares, the destructors included. `engine` is never null while one may run.
struct scene {
  ledger& accounts;
  detent::engine* engine = nullptr;
  bool may_wait = false;  // callbacks run on the worker alone, so that waiting in a destructor closes no circle
  bool may_drop = false;
  std::atomic<bool> ending{false};  // ~engine has begun: its handles must not be used by others any more
  std::atomic<std::uint64_t> seed{0}, calls{0}, scheduled{0}, cancelled{0}, restarted{0};
};

class caller_back;
sighting plant(scene& with, account& at, random_numbers& random);

// Calls into the engine.
void call_back(scene& with) {
  thread_local int depth = 0;  // a refused callable is destroyed in the call, and calls back as well
  if (with.ending || depth > 3) return;
  ++depth;
  random_numbers random(with.seed.fetch_add(1) * 0x9e3779b97f4a7c15u);
  for (std::uint64_t i = 1 + random.below(3); i != 0; --i) {
    ++with.calls;
    account& at = with.accounts.any(random);
    sighting seen = at.look();
    if (random.one_in(16)) {
      static_cast<void>(with.engine->pending());
      static_cast<void>(with.engine->metrics());
    } else if (!seen || at.ended(seen.life)) {
      plant(with, at, random);
    } else if (random.one_in(2)) {
      const bool wait = with.may_wait && random.one_in(4);
      tally mine;
      with.accounts.take_note(mine, seen, at.cancel(seen, wait));
      with.cancelled += mine.cancelled;
    } else {
      with.restarted += at.restart(seen, detent::clock::now() + random_delay(random) / 16);
    }
  }
  --depth;
}

class caller_back {
 public:
  caller_back(scene& with, account& at, life_number life) noexcept : with_(&with), seen_(at, life) {}
  caller_back(caller_back&& other) noexcept
      : with_(std::exchange(other.with_, nullptr)), seen_(std::move(other.seen_)) {}
  caller_back& operator=(caller_back&&) = delete;
  ~caller_back() {
    if (with_ != nullptr) call_back(*with_);
  }

  void operator()(detent::firing& run) { seen_.of().fire(seen_.life(), run); }

 private:
  scene* with_;
  witness seen_;
};
static_assert(detent::fits_inline<caller_back>);

struct large_caller_back {
  caller_back part;
  std::array<char, 64> ballast{};
  void operator()(detent::firing& run) { part(run); }
};

sighting plant(scene& with, account& at, random_numbers& random) {
  const auto deadline = detent::clock::now() + random_delay(random) / 16;
  const life_number life = at.open(deadline, true);
  if (life == 0) return {};
  detent::timer handle = random.one_in(8)
                             ? with.engine->try_schedule_at(deadline, large_caller_back{caller_back(with, at, life)})
                             : with.engine->try_schedule_at(deadline, caller_back(with, at, life));
  at.scheduled(life, handle);
  if (!handle) return {};
  ++with.scheduled;
  return {&at, life, handle};
}

detent::engine_options options_of(scene& with, random_numbers& random) {
  detent::engine_options options = random_options(random);
  with.may_wait = !options.executor;
  if (options.executor && random.one_in(2)) {
    options.on_refusal = detent::refusal_policy::drop;
    with.may_drop = true;
  }
  return options;
}

std::uint64_t play(const round_plan& plan) {
  random_numbers random(plan.seed);
  ledger accounts(16384, std::size_t{1} << (4 + random.below(6)));
  account::nobody_fires = false;
  scene shared{accounts};
  shared.seed = plan.seed << 20;
  {
    detent::engine engine(options_of(shared, random));
    shared.engine = &engine;
    crew threads(plan.threads, plan.seed, [&](unsigned, random_numbers&) {
      while (detent::clock::now() < plan.until && !accounts.used_up() && shared.calls < plan.operations)
        call_back(shared);
    });
    const bool in_the_midst = random.one_in(2);
    std::vector<detent::unfired> left;
    if (in_the_midst) {
      std::this_thread::sleep_until(plan.until - (plan.until - detent::clock::now()) / 4);
      left = engine.stop();
      account::nobody_fires = true;
    }
    threads.join();
    if (!in_the_midst && random.one_in(2)) {
      left = engine.stop();
      account::nobody_fires = true;
    }
    accounts.returned(std::move(left), random);
    if (engine.stopped()) {
      require(shared.may_drop || engine.metrics().dropped == 0, "timers were dropped");
      require(accounts.end_silent(outcome::dropped) <= engine.metrics().dropped, "a timer was lost");
    }
  }
  shared.ending = true;
  accounts.end_silent(outcome::returned);  // destroyed with their engine
  tally counts;
  counts.operations = shared.calls;
  accounts.add(counts);
  accounts.settle();
  return shared.calls;
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv,
             {.name = "destructors",
              .description = "Callables whose destructors schedule, cancel and restart.",
              .counted = "calls",
              .play = play});
}
