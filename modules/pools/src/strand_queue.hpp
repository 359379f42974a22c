// SPDX-License-Identifier: MIT
// The work of a keyed pool: a queue for each strand, and a queue of the strands that have work and that no thread
// serves. Takes no lock: its user does.
#pragma once

#include <detent/executor.hpp>

#include "pool_limits.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace detent::detail {

// Adjacent places for some timers of one strand. In a single queue for many strands, timers of one strand would be far
// from each other.
struct strand_block {
  // Destroys timers that have not begun.
  void drop() noexcept {
    while (begun != filled) work[begun++].reset();
  }

  strand_block* next = nullptr;
  std::uint32_t begun = 0;  // those before it were taken out to be run
  std::uint32_t filled = 0;
  std::array<std::optional<fired_timer>, limits::strand_places> work;
};

struct strand {
  bool empty() const noexcept { return first == nullptr; }

  strand_block* first = nullptr;
  strand_block* last = nullptr;
  strand* next_ready = nullptr;
  std::uint32_t size = 0;
  bool busy = false;  // ready or taken
};

// Everything that a strand had when a thread took it; no other thread serves the strand then. It is run from the front.
struct strand_batch {
  strand* of = nullptr;
  strand_block* first = nullptr;
  strand_block* last = nullptr;
  std::size_t size = 0;
};

class strand_queue {
 public:
  // Throws bad_alloc.
  explicit strand_queue(std::size_t strands);

  // Returns the strand of a key. Any thread, at any time.
  strand& of(std::uint64_t key) noexcept;

  // Returns false, and leaves the timer as it is, if there is no memory.
  bool put(strand& to, fired_timer&& work) noexcept;
  bool has_ready() const noexcept { return ready_ != nullptr; }
  // Takes from the strand that has been ready for the longest time. There must be one.
  strand_batch take() noexcept;
  // Once it has been run as far as `reached`, which leaves `left` of it. Its strand comes after the others, if it has
  // work.
  void give_back(const strand_batch& done, strand_block& reached, std::size_t left) noexcept;
  // Counts the work that was put and has not been taken, or was given back.
  std::size_t size() const noexcept { return size_; }
  // Drops what is left.
  void clear() noexcept;

 private:
  strand_block* new_block() noexcept;
  void make_ready(strand& which) noexcept;

  std::vector<strand> strands_;
  const unsigned shift_;
  strand* ready_ = nullptr;
  strand* last_ready_ = nullptr;
  strand_block* free_ = nullptr;
  std::deque<strand_block> blocks_;  // as many as it took at most, kept
  std::size_t size_ = 0;
};

// Destroys what has not begun, from `first` on. To be called without a lock: it may end an engine.
void drop_blocks(strand_block* first) noexcept;

}  // namespace detent::detail
