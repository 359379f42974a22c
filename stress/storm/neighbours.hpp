// SPDX-License-Identifier: MIT
// Engines that live for a few timers each. The thread that makes one also destroys it; the others use it as well.
#pragma once

#include "storm/scene.hpp"

#include <memory>
#include <shared_mutex>
#include <vector>

namespace stress {

class neighbours {
 public:
  explicit neighbours(std::size_t places) : cells_(places) {}

  // Makes an engine in a free place, uses it and others, and destroys it in one of several ways: each timer of it has
  // fired, been cancelled, or gone with it, captures and all.
  void live_once(random_numbers& random);

 private:
  struct cell {
    std::atomic<bool> taken{false};
    std::shared_mutex mutex;  // of those who use the engine, against its making and its end
    std::unique_ptr<scene> inside;
    std::unique_ptr<ledger> accounts;
    std::unique_ptr<detent::engine> engine;
    std::atomic<bool> may_end{false}, self_destroyed{false};
    bool driven = false;

    void make(random_numbers& random);
    void use(random_numbers& random);
    void destroy(random_numbers& random);
    void destroy_by_callback(random_numbers& random);
    void destroy_by_capture(random_numbers& random);
    void await_own_end(detent::engine& ending);
    // By a callback that ends the engine: not before the call that scheduled it is over.
    void await_scheduled() const;
  };
  cell& take(random_numbers& random);

  std::vector<cell> cells_;
};

}  // namespace stress
