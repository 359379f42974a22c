// SPDX-License-Identifier: MIT
// Engines that live for a few timers each, made, used, moved and destroyed by several threads at once, by their own
// callbacks too: each timer of theirs fires, is cancelled, or goes with its engine, captures and all, and neither
// threads nor descriptors are left.
#include "support/callables.hpp"
#include "support/crew.hpp"
#include "support/engines.hpp"
#include "support/ledger.hpp"
#include "support/runner.hpp"

#include <filesystem>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace {

using namespace stress;
using namespace std::chrono_literals;

// An engine and the timers of it; its owner makes and destroys it, the neighbours schedule on it as well.
struct cell {
  std::shared_mutex mutex;
  std::unique_ptr<detent::engine> engine;
  ledger accounts{48};
  std::atomic<bool> may_end{false}, self_destroyed{false};

  // By a callback that ends the engine: not before the call that scheduled it is over.
  void await_scheduled() const {
    while (!may_end) std::this_thread::yield();
  }
};

class owner {
 public:
  owner(std::vector<cell>& cells, unsigned number, random_numbers& random)
      : cells_(cells), mine_(cells[number]), random_(random) {}

  void live() {
    {
      std::unique_lock lock(mine_.mutex);
      detent::engine_options options = random_options(random_);
      options.reserve = 0;
      if (random_.one_in(4)) options.drive = detent::drive_kind::caller, options.executor = {};
      driven_ = options.drive == detent::drive_kind::caller;
      mine_.engine = std::make_unique<detent::engine>(std::move(options));
    }
    for (std::uint64_t i = random_.below(16); i != 0; --i) {
      cell& with = cells_[random_.below(cells_.size())];
      std::shared_lock lock(with.mutex, std::try_to_lock);
      if (lock && with.engine) use(*with.engine, with.accounts);
      if (driven_ && mine_.engine) mine_.engine->poll();
    }
    std::unique_lock lock(mine_.mutex);
    destroy();
    mine_.accounts.end_silent(outcome::returned);
    mine_.accounts.settle();
  }

 private:
  void use(detent::engine& engine, ledger& accounts) {
    account& at = accounts.any(random_);
    sighting seen = at.look();
    if (seen && !at.ended(seen.life)) {
      if (random_.one_in(2)) {
        at.cancel(seen, random_.one_in(2));
      } else {
        at.restart(seen, detent::clock::now() + random_delay(random_));
      }
    } else {
      schedule(engine, at, detent::clock::now() + random_delay(random_), random_);
    }
  }

  void destroy() {
    switch (random_.below(5)) {
      case 0: mine_.accounts.returned(mine_.engine->stop(), random_); break;
      case 1: {
        detent::engine moved(std::move(*mine_.engine));
        break;
      }
      case 2: return destroy_by_callback();
      case 3: return destroy_by_capture();
      default:;
    }
    mine_.engine.reset();
  }

  // The engine is destroyed by the callback of one of its timers.
  void destroy_by_callback() {
    mine_.may_end = mine_.self_destroyed = false;
    detent::engine* raw = mine_.engine.release();
    raw->schedule_after(random_delay(random_) / 256, [raw, with = &mine_] {
      with->await_scheduled();
      delete raw;
      with->self_destroyed = true;
    });
    await_end(*raw);
  }

  // The engine is destroyed by the last thing that refers to it, a capture of one of its timers.
  void destroy_by_capture() {
    mine_.may_end = mine_.self_destroyed = false;
    detent::engine* raw = mine_.engine.get();
    struct ender {
      cell* with;
      void operator()(detent::engine* last) const {
        delete last;
        with->self_destroyed = true;
      }
    };
    std::shared_ptr<detent::engine> shared(mine_.engine.release(), ender{&mine_});
    raw->schedule_after(random_delay(random_) / 256,
                        [with = &mine_, kept = std::move(shared)] { with->await_scheduled(); });
    await_end(*raw);
  }

  void await_end(detent::engine& ending) {
    mine_.may_end = true;
    const auto latest = detent::clock::now() + 1min;
    while (!mine_.self_destroyed) {
      require(detent::clock::now() < latest, "an engine does not come to its own end");
      if (driven_) {
        ending.poll();
      } else {
        std::this_thread::yield();
      }
    }
  }

  std::vector<cell>& cells_;
  cell& mine_;
  random_numbers& random_;
  bool driven_ = false;
};

std::size_t entries_of(const char* directory) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory), {}));
}

std::uint64_t play(const round_plan& plan) {
  const std::size_t descriptors = entries_of("/proc/self/fd"), threads_before = entries_of("/proc/self/task");
  std::atomic<std::uint64_t> engines{0};
  account::nobody_fires = false;
  {
    std::vector<cell> cells(plan.threads);
    crew threads(plan.threads, plan.seed, [&](unsigned i, random_numbers& mine) {
      owner each(cells, i, mine);
      while (detent::clock::now() < plan.until && engines < plan.operations) {
        each.live();
        ++engines;
      }
    });
  }
  require(entries_of("/proc/self/fd") == descriptors, "engines left descriptors behind");
  // One that a worker of its own destroyed may still be on its way out.
  const auto latest = detent::clock::now() + 1min;
  while (entries_of("/proc/self/task") != threads_before) {
    require(detent::clock::now() < latest, "engines left threads behind");
    std::this_thread::sleep_for(100us);
  }
  return engines;
}

}  // namespace

int main(int argc, char** argv) {
  return run(
      argc, argv,
      {.name = "engine_churn",
       .description = "Engines made, used and destroyed by several threads; the full count is --operations 10000.",
       .counted = "engines",
       .play = play,
       .round_length = std::chrono::seconds(1)});
}
