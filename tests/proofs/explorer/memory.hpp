// SPDX-License-Identifier: MIT
// The weak memory of an execution: of each atomic object all its stores, in their modification order. A load may
// return, and a store may come before, whatever coherence and happens-before allow; README.md says what that means.
#pragma once

#include "choices.hpp"
#include "clock.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace model {

enum class order : std::uint8_t { relaxed, acquire, release, acq_rel, seq_cst };

constexpr bool acquires(order o) { return o == order::acquire || o == order::acq_rel || o == order::seq_cst; }
constexpr bool releases(order o) { return o == order::release || o == order::acq_rel || o == order::seq_cst; }

// The bounds besides the preemptions.
struct weak_bounds {
  // How often in an execution a load returns an older store than it might, or a store comes before an older one.
  unsigned stale = UINT32_MAX;
  // How often a thread reads the same store of an object after a newer one is there. A thread that spins would
  // otherwise do so for ever.
  unsigned repeats = 2;
};

// A thread as the memory knows it.
struct observer {
  thread_index self = 0;
  knowledge now;
  knowledge to_acquire;     // brought by relaxed loads, for the next fence
  knowledge released;       // as of the last fence, for the relaxed stores after it
  bool read_stale = false;  // a load since it last paused returned an old store
};

class memory {
 public:
  using location = std::uint16_t;

  memory(choices& decide) : decide_(decide) {}

  void reset(const weak_bounds& bounds);
  // An object with its first value, put there by `writer` at `at`.
  location add(std::uint64_t value, thread_index writer, moment at);

  // These are one atomic operation each. The caller moves the thread's clock on afterwards.
  std::uint64_t load(observer& by, location where, order o);
  void store(observer& by, location where, std::uint64_t value, order o);
  struct updated {
    std::uint64_t before;
    bool done;
  };
  using change = std::uint64_t (*)(std::uint64_t before, std::uint64_t operand);
  std::uint64_t update(observer& by, location where, change how, std::uint64_t operand, order o);
  // Compares and replaces the bits of `mask` alone.
  updated compare_exchange(observer& by, location where, std::uint64_t expected, std::uint64_t desired,
                           std::uint64_t mask, order success, order failure);
  // Both or none; judged by the newest store of each.
  bool compare_exchange_both(observer& by, location low, location high, const std::uint64_t (&expected)[2],
                             const std::uint64_t (&desired)[2]);
  void fence(observer& by, order o);

  // Coherence's last word, which the kernel reads.
  std::uint64_t newest(location where) const { return places_[where].stores.back().value; }
  // Returns whether the last load, update or exchange returned a store that is not the newest one.
  bool was_stale() const { return was_stale_; }
  // Nobody accesses the object any more: for a plain access in its place, the first thread that wrote to it, or that
  // touched it at all, without order before; max_threads if there is none.
  std::size_t unordered_writer(location where, const clock& ordered) const;
  std::size_t unordered_user(location where, const clock& ordered) const;

 private:
  struct store_event {
    std::uint64_t value = 0;
    knowledge message;                      // what an acquire of it brings
    std::array<moment, max_threads> met{};  // when each thread first wrote or read it
    std::array<std::uint8_t, max_threads> stale_reads{};
    std::uint32_t sequenced = UINT32_MAX;  // the first sequentially consistent operation that wrote or read it
    bool pinned = false;                   // by a read-modify-write: nothing comes between it and the one before
  };
  struct place {
    std::vector<store_event> stores;  // in modification order
    clock stored, used;               // each thread's last store, and last operation
  };

  bool known(const store_event& store, const observer& by, bool sequential) const;
  std::size_t floor(const place& where, const observer& by, bool sequential) const;
  bool may_read(const place& where, std::size_t index, const observer& by) const;
  std::uint64_t read(observer& by, place& where, std::size_t index, order o);
  void insert(observer& by, place& where, std::size_t index, std::uint64_t value, order o, bool pinned);
  std::size_t pick(const place& where);

  choices& decide_;
  weak_bounds bounds_;
  std::vector<place> places_;  // those from count_ on are left over from earlier executions
  std::size_t count_ = 0;
  std::vector<std::size_t> ways_;  // what an operation may choose among
  std::uint32_t sequence_ = 0;     // of sequentially consistent operations and fences
  clock fenced_;                   // what the fences so far have seen
  unsigned stale_ = 0;
  bool was_stale_ = false;
};

}  // namespace model
