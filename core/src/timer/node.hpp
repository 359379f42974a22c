// SPDX-License-Identifier: MIT
// A pending timer: one cache line, and a cold part for properties that few timers have.
#pragma once

#include <detent/detail/callable.hpp>
#include <detent/detail/schedule.hpp>
#include "timer/placement.hpp"
#include "timer/state_word.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace detent::detail {

using node_index = std::uint32_t;
inline constexpr node_index no_node = 0xffffffff;

// The place in which the worker keeps an armed node: a slot of the wheel (the values from 0 on), or one of these.
inline constexpr std::uint32_t nowhere = 0xffffffff;
inline constexpr std::uint32_t in_due_queue = 0xfffffffe;

// Rule: outside `firing` the worker never reads `capture`, which a canceller may destroy.
struct alignas(64) node {
  timer_pair pair;                    // all threads, through state_word.hpp alone
  node_index next = 0;                // worker, armed: neighbours in the slot
  node_index previous = 0;            // worker, dispatched, with a cold part: the arming order, which the word has lost
  const callable_ops* ops = nullptr;  // written before the node is published
  alignas(capture_alignment) std::byte capture[capture_size];
  std::uint32_t location = 0;  // worker, armed: slot, due queue or nowhere
  detail::placement placed;    // worker
};
static_assert(sizeof(node) == 64, "a pending timer is one cache line");
static_assert(offsetof(node, capture) % capture_alignment == 0, "the capture keeps its alignment");

// Word by word, because two words joined in a vector register would have to go through memory first.
inline void write_capture(void* capture, std::uint64_t first, std::uint64_t second, std::uint64_t third) noexcept {
  auto* out = static_cast<std::byte*>(capture);
  std::memcpy(out, &first, sizeof(first));
  base::keep_in_register(second);  // keeps the compiler from joining them
  std::memcpy(out + sizeof(first), &second, sizeof(second));
  std::memcpy(out + sizeof(first) + sizeof(second), &third, sizeof(third));
}

class group_state;

// How many lanes there are from 1 on.
inline constexpr std::size_t critical_ranks = lane_count - 1;

// The properties that few timers have. Written before the node is published and by the thread that runs it.
struct cold_part {
  nanoseconds_t grid = 0;  // the next run's deadline before it was rounded to the tick
  union {
    nanoseconds_t period = 0;    // if kind is not none
    nanoseconds_t max_lateness;  // else
  };
  std::uint64_t runs_left = 0;  // 0: for ever
  period_kind kind = period_kind::none;
  missed_ticks missed_policy = missed_ticks::skip;
  stale_policy stale = stale_policy::drop;
  nanoseconds_t slack = 0;
};

// The deadline for a caller that makes no exchange, but reads the node's word again. (5) acquire: pairs with (2) of
// state_word.hpp, so that a thread that reads a later generation's deadline also finds that generation's word; and
// keeps the second read after it.
inline nanoseconds_t deadline_between_looks(const timer_pair& pair) noexcept {
  return static_cast<nanoseconds_t>(pair.high.load(base::acquire));
}

// Lies at the same index as the node, in memory that stays untouched for plain timers; the word's flag `cold` says
// whether it counts.
class cold_node : public cold_part {
 public:
  // These are set with the rest. (1) release, all five: pairs with (2).
  void set_group(group_state* value) noexcept { group_.store(value, base::release); }
  void set_epoch(std::uint32_t value) noexcept { epoch_.store(value, base::release); }
  void set_label(std::uint16_t value) noexcept { label_.store(value, base::release); }
  void set_tag(std::uint64_t value) noexcept { tag_.store(value, base::release); }
  // Sets the lane and the executor, 0 being the engine's own.
  void set_lane(std::uint8_t lane, std::uint8_t executor) noexcept {
    lane_.store(static_cast<std::uint8_t>(executor * lane_count + lane), base::release);  // (1)
  }

  // Any thread. The holder of an old handle may read those of a later generation; its own transition, or the word's
  // generation after this, shows that. (2) acquire, all of them: pairs with (1), so that a thread that reads a later
  // generation's also finds the word of that generation, and can read its group all the same.
  group_state* group() const noexcept { return group_.load(base::acquire); }
  std::uint32_t epoch() const noexcept { return epoch_.load(base::acquire); }
  std::uint16_t label() const noexcept { return label_.load(base::acquire); }
  std::uint64_t tag() const noexcept { return tag_.load(base::acquire); }                // (2)
  std::uint8_t lane() const noexcept { return lane_.load(base::acquire) % lane_count; }  // (2)
  bool is_critical() const noexcept { return lane() != 0; }  // not of the bulk: it has a queue and a wheel of its own
  std::size_t critical_rank() const noexcept { return std::max<std::size_t>(lane(), 1) - 1; }
  std::uint8_t executor() const noexcept { return lane_.load(base::acquire) / lane_count; }  // (2)

 private:
  base::atomic<group_state*> group_{nullptr};  // null: none
  base::atomic<std::uint64_t> tag_{0};
  base::atomic<std::uint32_t> epoch_{0};  // the group's when the timer was scheduled
  base::atomic<std::uint16_t> label_{0};  // the label's number; 0: none
  base::atomic<std::uint8_t> lane_{0};    // and the executor

 public:
  bool enrolled = false;  // the driver: in the group's roster. Here, because all must fit a line.
};
static_assert(sizeof(cold_node) <= 64, "a cold part is no larger than its node");

// The place and time at which the timer was scheduled. In engines that capture origins it follows the cold part, even
// if that does not count.
class origin_record {
 public:
  // To be called before the node is published. (3) release, all three: pairs with (4).
  void set(const char* file, std::uint32_t line, nanoseconds_t scheduled) noexcept {
    file_.store(file, base::release);
    line_.store(line, base::release);
    scheduled_.store(scheduled, base::release);
  }
  // Any thread, which reads the node's word again if it is not its own. (4) acquire, all three: pairs with (3), so that
  // a thread that reads those of a later generation also finds the word of that generation.
  const char* file() const noexcept { return file_.load(base::acquire); }
  std::uint32_t line() const noexcept { return line_.load(base::acquire); }
  nanoseconds_t scheduled() const noexcept { return scheduled_.load(base::acquire); }

 private:
  base::atomic<const char*> file_{nullptr};
  base::atomic<std::uint32_t> line_{0};
  base::atomic<nanoseconds_t> scheduled_{0};
};
inline constexpr std::size_t origin_offset = 64, bytes_with_origin = 128;

}  // namespace detent::detail
