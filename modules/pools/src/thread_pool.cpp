// SPDX-License-Identifier: MIT
#include <detent/thread_pool.hpp>

#include <detent/base/atomic.hpp>

#include "platform/ordered_by_fences.hpp"
#include "platform/process.hpp"
#include "pool_limits.hpp"
#include "pool_threads.hpp"
#include "work_queue.hpp"

#include <concurrentqueue/lightweightsemaphore.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <new>
#include <optional>
#include <utility>

namespace detent {
// Shared with the threads: the pool may be destroyed by one of them, from a callback that held the last engine.
//
// The queue and the semaphore are the two halves of moodycamel::BlockingConcurrentQueue. They are apart as that one
// wakes a thread by an entry alone, for which a pool that ends may find no memory.
struct thread_pool::state {
  explicit state(std::size_t capacity)
      : waiting(capacity), queue(std::min(capacity, detail::limits::pool_ahead) + 2 * detail::limits::pool_block) {}

  void work();
  bool take(moodycamel::ConsumerToken& turn, std::optional<fired_timer>& next) noexcept;
  std::size_t put(std::span<fired_timer> work) noexcept;
  void close();

  const std::int32_t creator = detail::process_number();
  detail::bounded_count waiting;
  detail::work_queue queue;
  detail::entrances ways;
  // Counts what is in the queue, and at the end the threads.
  moodycamel::LightweightSemaphore ready{0, detail::limits::pool_spins};
  base::atomic<bool> closed{false};
  detail::pool_threads threads;
};

void thread_pool::state::work() {
  moodycamel::ConsumerToken turn(queue);  // goes round the threads that hand over, where there are several
  for (std::optional<fired_timer> next;; next.reset()) {
    while (!ready.wait()) {
    }
    if (closed.load(base::relaxed)) return;  // relaxed: the semaphore orders it
    while (!take(turn, next)) {
    }
    waiting.give_back(1);
    (*next)();
  }
}

bool thread_pool::state::take(moodycamel::ConsumerToken& turn, std::optional<fired_timer>& next) noexcept {
  const detail::ordered_by_fences inside;
  return queue.try_dequeue(turn, next);
}

// In pieces of a block, which need one new block at most: where a second one is refused, release 1.0.3 may lose some.
std::size_t thread_pool::state::put(std::span<fired_timer> work) noexcept {
  const std::size_t room = waiting.take(work.size());
  detail::entrance* const mine = room != 0 ? ways.mine(queue) : nullptr;
  std::size_t taken = 0;
  while (mine != nullptr && taken != room) {
    const std::size_t piece = std::min(room - taken, detail::limits::pool_block);
    const detail::ordered_by_fences inside;
    const auto first = std::make_move_iterator(work.begin() + static_cast<std::ptrdiff_t>(taken));
    if (!mine->token.valid() || !queue.enqueue_bulk(mine->token, first, piece)) break;
    taken += piece;
  }
  if (taken != room) waiting.give_back(room - taken);
  if (taken != 0) ready.signal(static_cast<moodycamel::LightweightSemaphore::ssize_t>(taken));
  return taken;
}

void thread_pool::state::close() {
  closed.store(true, base::relaxed);  // relaxed: the semaphore orders it
  ready.signal(static_cast<moodycamel::LightweightSemaphore::ssize_t>(threads.count()));
  threads.join();
}

thread_pool::thread_pool(thread_pool_options options) {
  const detail::pool_setup setup{.pool = "thread_pool",
                                 .threads = options.threads,
                                 .queue_capacity = options.queue_capacity,
                                 .cpus = std::move(options.cpus),
                                 .name = std::move(options.name)};
  detail::pool_threads::check(setup);
  state_ = std::make_shared<state>(options.queue_capacity);
  try {
    state_->threads.start(setup, [shared = state_](std::size_t) { shared->work(); });
  } catch (...) {
    state_->close();
    throw;
  }
}

thread_pool::~thread_pool() {
  if (detail::process_number() != state_->creator) {
    // In the child of a fork: the threads do not exist, and one of them may have been in the middle of the queue.
    // Nothing can be taken apart.
    static_cast<void>(new (std::nothrow) std::shared_ptr<state>(state_));
    return;
  }
  state_->close();
  moodycamel::ConsumerToken turn(state_->queue);
  for (std::optional<fired_timer> dropped; state_->take(turn, dropped); dropped.reset()) {
  }
}

bool thread_pool::execute(fired_timer&& work) noexcept { return state_->put({&work, 1}) == 1; }

std::size_t thread_pool::execute_many(std::span<fired_timer> work) noexcept { return state_->put(work); }

std::size_t thread_pool::queued() const noexcept { return state_->waiting.taken(); }

}  // namespace detent
