// SPDX-License-Identifier: MIT
// Fired timers on their way through a queue of another library.
#pragma once

#include <detent/executor.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

namespace detent::detail {

// Several fired timers as one copyable function object. It is const, because some queues want that. Timers that are
// never called are dropped.
class fired_batch {
 public:
  // Throws std::bad_alloc, and leaves `work` as it was, because the memory is allocated first and moves do not throw.
  explicit fired_batch(std::span<fired_timer> work)
      : timers_(std::make_shared<std::vector<fired_timer>>(std::move_iterator(work.begin()),
                                                           std::move_iterator(work.end()))) {}
  // At most once.
  void operator()() const noexcept {
    for (fired_timer& next : *timers_) next();
  }
  void give_back(std::span<fired_timer> work) const noexcept {
    std::move(timers_->begin(), timers_->end(), work.begin());
  }

 private:
  std::shared_ptr<std::vector<fired_timer>> timers_;
};

// Gives `work` from its front to `enqueue`, up to `at_once` timers in one batch. Returns how many it took. An exception
// counts as a refusal: the rest stays in `work`, and the engine's refusal policy handles and counts it.
template <class Enqueue>
std::size_t enqueue_batches(std::span<fired_timer> work, std::size_t at_once, Enqueue&& enqueue) noexcept {
  std::size_t taken = 0;
  try {
    while (taken < work.size()) {
      auto next = work.subspan(taken, std::min(at_once, work.size() - taken));
      const fired_batch batch(next);
      try {
        enqueue(batch);
      } catch (...) {
        batch.give_back(next);
        throw;
      }
      taken += next.size();
    }
  } catch (...) {
    return taken;
  }
  return taken;
}

}  // namespace detent::detail
