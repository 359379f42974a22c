// SPDX-License-Identifier: MIT
#include "storm/neighbours.hpp"

#include "storm/player.hpp"
#include "storm/runner.hpp"

#include <thread>

namespace stress {

using namespace std::chrono_literals;

neighbours::cell& neighbours::take(random_numbers& random) {
  for (;;) {
    cell& any = cells_[random.below(cells_.size())];
    if (!any.taken.exchange(true)) return any;
  }
}

void neighbours::live_once(random_numbers& random) {
  cell& mine = take(random);
  {
    std::unique_lock lock(mine.mutex);
    mine.make(random);
  }
  for (std::uint64_t i = random.below(16); i != 0; --i) {
    cell& with = cells_[random.below(cells_.size())];
    std::shared_lock lock(with.mutex, std::try_to_lock);
    if (lock && with.engine) with.use(random);
    if (mine.driven) mine.engine->poll();
  }
  {
    std::unique_lock lock(mine.mutex);
    mine.destroy(random);
    mine.accounts->end_all();
    mine.accounts->settle();
  }
  mine.taken = false;
}

void neighbours::cell::make(random_numbers& random) {
  inside = std::make_unique<scene>();
  detent::engine_options options = random_options(random, 33);
  options.reserve = 0;
  if (random.one_in(4)) options.drive = detent::drive_kind::caller, options.executor = {};
  driven = options.drive == detent::drive_kind::caller;
  accounts = std::make_unique<ledger>(48, options.tick);
  engine = std::make_unique<detent::engine>(std::move(options));
  inside->accounts = 48;
  inside->book = accounts.get();
  inside->engine = engine.get();
}

void neighbours::cell::use(random_numbers& random) {
  player visitor(*inside, random);
  visitor.step_evenly(random.one_in(2));
}

void neighbours::cell::destroy(random_numbers& random) {
  may_end = self_destroyed = false;
  switch (random.below(5)) {
    case 0: {
      std::vector<detent::unfired_timer> left = engine->stop();
      accounts->facts().stopped = true;
      accounts->returned(std::move(left), random);
      break;
    }
    case 1: {
      const detent::engine moved(std::move(*engine));
      break;
    }
    case 2: return destroy_by_callback(random);
    case 3: return destroy_by_capture(random);
    default:;
  }
  engine.reset();
}

// The engine is destroyed by the callback of one of its timers.
void neighbours::cell::destroy_by_callback(random_numbers& random) {
  detent::engine* raw = engine.release();
  raw->schedule_after(random_delay(random) / 256, [raw, this] {
    await_scheduled();
    delete raw;
    self_destroyed = true;
  });
  await_own_end(*raw);
}

// The engine is destroyed by the last thing that refers to it, a capture of one of its timers.
void neighbours::cell::destroy_by_capture(random_numbers& random) {
  detent::engine* raw = engine.get();
  struct ender {
    cell* with;
    void operator()(detent::engine* last) const {
      delete last;
      with->self_destroyed = true;
    }
  };
  std::shared_ptr<detent::engine> shared(engine.release(), ender{this});
  raw->schedule_after(random_delay(random) / 256, [this, kept = std::move(shared)] { await_scheduled(); });
  await_own_end(*raw);
}

void neighbours::cell::await_scheduled() const {
  while (!may_end) std::this_thread::yield();
}

void neighbours::cell::await_own_end(detent::engine& ending) {
  may_end = true;
  const auto latest = detent::clock::now() + 1min;
  while (!self_destroyed) {
    require(detent::clock::now() < latest, "an engine does not come to its own end");
    if (driven) {
      ending.poll();
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace stress
