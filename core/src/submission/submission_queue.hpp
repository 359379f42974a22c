// SPDX-License-Identifier: MIT
// The MPSC queue from producers to the driver: moodycamel's queue, with one producer token for each thread.
#pragma once

#include <detent/base/thread_sanitizer.hpp>
#include "timer/node.hpp"

#include <concurrentqueue/concurrentqueue.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace detent::detail {

// What a producer submits to the driver, in 64 bits: which generation of which node, and what to do with it.
struct submission {
  enum class kind : std::uint8_t {
    reap = 0,  // it was cancelled while in the wheel, a tombstone: unlink and free it
    arm = static_cast<std::uint8_t>(timer_state::queued)  // insert it, or re-insert it; the entry is the handle's id
  };
  static constexpr std::uint64_t make(kind what, std::uint32_t generation, node_index index) {
    return std::uint64_t{generation} << state_word::generation_shift |
           state_word::field(static_cast<timer_state>(what)) | index;
  }
  static constexpr kind what(std::uint64_t entry) { return static_cast<kind>(state_word::state(entry)); }
  static constexpr std::uint32_t generation(std::uint64_t entry) { return state_word::generation(entry); }
  static constexpr node_index index(std::uint64_t entry) { return static_cast<node_index>(entry); }
};
static_assert(state_word::state_shift >= 32, "index, kind and generation share 64 bits");

// Large blocks, as bulk dequeues like them; no implicit producers, as every thread has its token.
struct submission_traits : moodycamel::ConcurrentQueueDefaultTraits {
  static const std::size_t BLOCK_SIZE = 512;
  static const std::size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 0;
};

// Push: lock-free, and free of allocation while what is queued fits the blocks made ahead. Take: one thread at a time.
class submission_queue {
 public:
  using producer = moodycamel::ProducerToken;

  // Room for `reserve` entries, and a block for each of a few producers.
  explicit submission_queue(std::size_t reserve)
      : queue_(reserve + 8 * submission_traits::BLOCK_SIZE), consumer_(queue_) {}

  // A thread's place; invalid() where memory is refused.
  producer make_producer() { return producer(queue_); }
  // False: out of memory, and nothing was pushed.
  bool push(const producer& token, std::uint64_t entry) noexcept {
    base::ordered_by_fences inside;
    return queue_.enqueue(token, entry);
  }
  // The same for `count` of them, the first at `first`. False: those after some of them were not pushed.
  template <class Entries>
  bool push_many(const producer& token, Entries first, std::size_t count) noexcept;
  // At most `room` entries; fewer than asked mean that the queue held no more. Entries of one producer come in order.
  std::size_t take(std::uint64_t* out, std::size_t room) noexcept {
    base::ordered_by_fences inside;
    return queue_.try_dequeue_bulk(consumer_, out, room);
  }
  // The same of what one producer pushed, which comes before anything that another did.
  std::size_t take_from(const producer& token, std::uint64_t* out, std::size_t room) noexcept {
    base::ordered_by_fences inside;
    return queue_.try_dequeue_bulk_from_producer(token, out, room);
  }
  std::size_t size_approx() const noexcept { return queue_.size_approx(); }

 private:
  moodycamel::ConcurrentQueue<std::uint64_t, submission_traits> queue_;
  moodycamel::ConsumerToken consumer_;
};

// No call takes more than one new block: where a second one is refused, version 1.0.3 keeps the first and forgets that
// its index has to have room for it, and what is pushed later overwrites what has not been taken.
template <class Entries>
bool submission_queue::push_many(const producer& token, Entries first, std::size_t count) noexcept {
  constexpr std::size_t block = submission_traits::BLOCK_SIZE;
  base::ordered_by_fences inside;
  while (count != 0) {
    const std::size_t piece = std::min(count, block);
    // Each time: the queue reads the token's producer again, and g++ 12 warns of a null one that no look has ruled out.
    if (!token.valid() || !queue_.enqueue_bulk(token, first, piece)) return false;
    first += piece;
    count -= piece;
  }
  return true;
}

}  // namespace detent::detail
