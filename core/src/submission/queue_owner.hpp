// SPDX-License-Identifier: MIT
// Says who owns a producer's queue, and so ends it: the thread that pushes, at its end; the driver, once it has taken
// all that a thread left in it; or the end of the engine. A queue that is left passes to the next thread that pushes
// with the same record, if the driver has not ended it by then.
//
//   owned --leave(), all taken--> the thread ends it
//     |   --leave(), some left--> left --resume()-----------------> owned, by the next thread
//     |                            |   --take_left(), all taken---> the driver ends it
//     +--retire()                  +---retire()-------------------> the end of the engine ends it
//
// A queue is left at a count, that of all entries pushed so far. The driver claims the queue by an exchange of this
// count once it has taken as many. If a thread has resumed it since, pushed and left, the count is another one.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/base/thread_sanitizer.hpp>

#include <cstddef>
#include <cstdint>

namespace detent::detail {

template <class Queue>
class queue_owner {
 public:
  // How much is in it; for any thread, a hint. Relaxed: either may move on.
  std::size_t size_approx() const noexcept {
    const std::uint64_t taken = taken_.load(base::relaxed), pushed = pushed_.load(base::relaxed);
    return pushed > taken ? pushed - taken : 0;
  }

  // --- The thread that has the record

  // Returns null if it has no queue yet. Relaxed: its own.
  Queue* mine() const noexcept { return mine_.load(base::relaxed); }
  // To be called if mine() is null: returns the queue that the thread before has left. If it returns null, there is
  // none, and the thread makes another.
  Queue* resume() noexcept;
  // Begins with a queue that the thread has made. Relaxed, both: passed on by (1).
  void begin(Queue& made) noexcept {
    filled_.store(&made, base::relaxed);
    mine_.store(&made, base::relaxed);
  }
  // After a push. Relaxed: its own. (1) release: the queue and the entries in it; pairs with (2).
  void count_pushed(std::uint64_t count) noexcept { pushed_.store(pushed_.load(base::relaxed) + count, base::release); }
  // Annotates for ThreadSanitizer, after the thread has allocated memory for its queue: others may free it.
  void show_allocated() const noexcept { base::show_release(this); }
  // Called at the end of the thread. Returns the queue if the caller must end it.
  [[nodiscard]] Queue* leave() noexcept;

  // --- The driver

  // How many entries are ready. (2) acquire: pairs with (1). Relaxed: the driver's own.
  std::uint64_t ready() const noexcept { return pushed_.load(base::acquire) - taken_.load(base::relaxed); }
  // The queue that they are in. Relaxed: after (2).
  Queue& filled() const noexcept { return *filled_.load(base::relaxed); }
  // After a take. Relaxed: its own. (3) release: the queue is touched no more; pairs with (4).
  void count_taken(std::uint64_t count) noexcept { taken_.store(taken_.load(base::relaxed) + count, base::release); }
  // Returns whether take_left() is worth a call. Relaxed: it is asked again at the next visit.
  bool is_left() const noexcept { return left_at_.load(base::relaxed) != 0; }
  // Returns the queue if a thread has left it and all of it is taken; the caller must end it.
  [[nodiscard]] Queue* take_left() noexcept;

  // --- The end of the engine, when no thread pushes and none drives; one may be in leave()

  // Returns the queue if the caller must end it.
  [[nodiscard]] Queue* retire() noexcept;

 private:
  // On a cache line of the driver.
  alignas(64) base::atomic<std::uint64_t> taken_{0};
  // On a cache line of the thread.
  alignas(64) base::atomic<Queue*> mine_{nullptr};
  base::atomic<Queue*> filled_{nullptr};  // the last one that was made; for the driver, once an entry is there
  base::atomic<std::uint64_t> left_at_{
      0};  // the count at which it was left, and one; 0: a thread has it, or it has ended
  base::atomic<std::uint64_t> pushed_{0};
};

template <class Queue>
Queue* queue_owner<Queue>::leave() noexcept {
  // Relaxed: the exchange settles whether this or retire() gets it; the engine's end comes after every push.
  Queue* const own = mine_.exchange(nullptr, base::relaxed);
  if (own == nullptr) return nullptr;
  const std::uint64_t pushed = pushed_.load(base::relaxed);  // relaxed: its own
  if (taken_.load(base::acquire) == pushed) return own;      // (4) acquire: pairs with (3)
  left_at_.store(pushed + 1, base::release);                 // (5) release: pairs with (6)
  return nullptr;
}

template <class Queue>
Queue* queue_owner<Queue>::resume() noexcept {
  // Relaxed, all: the record has passed from thread to thread, and this with it. The exchange settles whether the
  // driver gets the queue.
  std::uint64_t at = left_at_.load(base::relaxed);
  if (at == 0 || !left_at_.compare_exchange_strong(at, 0, base::relaxed, base::relaxed)) return nullptr;
  Queue* const left = filled_.load(base::relaxed);
  mine_.store(left, base::relaxed);
  return left;
}

template <class Queue>
Queue* queue_owner<Queue>::take_left() noexcept {
  std::uint64_t at = left_at_.load(base::relaxed);  // relaxed: (6) decides
  if (at != taken_.load(base::relaxed) + 1) return nullptr;
  // Relaxed: (2) has shown this one. If there is a later one, its thread has pushed, and the count is another.
  Queue* const left = filled_.load(base::relaxed);
  // (6) acquire: pairs with (5), as a push that found no memory comes after the last count. Relaxed on failure: it is
  // asked again.
  if (!left_at_.compare_exchange_strong(at, 0, base::acquire, base::relaxed)) return nullptr;
  base::show_acquire(this);
  return left;
}

template <class Queue>
Queue* queue_owner<Queue>::retire() noexcept {
  base::show_acquire(this);
  // Relaxed, all: as in leave().
  if (Queue* const own = mine_.exchange(nullptr, base::relaxed)) return own;
  return left_at_.exchange(0, base::relaxed) != 0 ? filled_.load(base::relaxed) : nullptr;
}

}  // namespace detent::detail
