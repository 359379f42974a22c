// SPDX-License-Identifier: MIT
// Records what is done to an engine's timers (engine_options::record), as a trace that can be replayed.
#pragma once

#include <detent/error.hpp>
#include <detent/options.hpp>
#include "limits.hpp"
#include "timer/tick_grid.hpp"

#include "platform/clock_reader.hpp"
#include "recording/operation_ring.hpp"
#include "recording/trace_file.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

namespace detent::detail {

class trace_writer;

// Any thread reports operations to it and never waits: what finds no room is counted and lost. A thread of its own
// writes them, in one order in which those of one timer stand as they happened: schedule before restart before cancel
// or fire. That order is of places in a ring, so a place is taken before a timer can be found or moved by others, and
// after it was cancelled or started. Two restarts of one timer that overlap may stand either way.
class recorder {
 public:
  // Identifies one generation of a node.
  static constexpr std::uint64_t id_of(std::uint32_t index, std::uint32_t generation) noexcept {
    return std::uint64_t{generation} << 32 | index;
  }

  // Throws bad_alloc. Times count from now, and deadlines are rounded up to `ticks`.
  explicit recorder(const clock_reader& time, std::size_t room = limits::recording_room,
                    tick_grid ticks = tick_grid(1));
  ~recorder() { close(); }
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  // One that records what the options say, if they say so; on failure says why.
  static errc make(std::unique_ptr<recorder>& made, const clock_reader& time, const engine_options& options,
                   std::string& why);

  // Creates the file and starts the thread; on failure says why. `engine` is for the message about a later one.
  errc open(const std::string& path, const std::string& engine, std::string& why);
  // The engine is going to be: what the file held before is gone. Before anything is reported.
  errc begin(std::string& why) { return file_.begin(why); }
  // Writes what there is, and the end. Operations reported from now on are lost.
  void close() noexcept;

  // After it was cancelled; its node may be another timer's already.
  void cancelled(std::uint32_t index, std::uint32_t generation) noexcept;
  // After it started, or was dropped.
  void ended(operation_kind how, std::uint32_t index, std::uint32_t generation, nanoseconds_t at) noexcept;
  // Pause, resume or forget.
  void turned(operation_kind how, const void* group) noexcept;

  // Operations that were lost, for any reason.
  std::uint64_t dropped() const noexcept { return dropped_.load(base::relaxed); }  // relaxed: a mere count

 private:
  friend class recorded_attempt;

  operation_ring::place* take() noexcept;
  void fill(operation_ring::place& taken) noexcept;
  void add(const operation& what) noexcept;
  void lose() noexcept;
  void write(trace_writer& rows) noexcept;
  void wake() noexcept;

  const clock_reader& time_;
  const nanoseconds_t zero_;
  const tick_grid ticks_;
  operation_ring ring_;
  base::atomic<std::uint64_t> dropped_{0};
  base::atomic<std::uint64_t> unclaimed_{0};  // of those, what the next one that finds room has to report
  base::atomic<bool> closed_{true};
  base::atomic<std::uint32_t> bell_{0};
  trace_file file_;
  std::thread writer_;
};

// An arming that another thread may forestall: takes its place first, and leaves it empty unless it took effect. Where
// nothing is recorded it stays in registers.
class recorded_attempt {
 public:
  // `to` may be null: nothing is recorded. what() is the operation without its time.
  template <class What>
  [[gnu::always_inline]] recorded_attempt(recorder* to, What&& what) noexcept : to_(to) {
    if (to != nullptr) [[unlikely]]
      place_ = begin(*to, what());
  }
  [[gnu::always_inline]] ~recorded_attempt() {
    if (to_ != nullptr) [[unlikely]]
      end(*to_, place_, false);
  }
  recorded_attempt(const recorded_attempt&) = delete;
  recorded_attempt& operator=(const recorded_attempt&) = delete;

  [[gnu::always_inline]] void took_effect() noexcept {
    if (to_ != nullptr) [[unlikely]]
      end(*to_, place_, true);
    to_ = nullptr;
  }

 private:
  [[gnu::cold]] static operation_ring::place* begin(recorder& to, const operation& what) noexcept;
  [[gnu::cold]] static void end(recorder& to, operation_ring::place* place, bool effective) noexcept;

  recorder* to_;
  operation_ring::place* place_ = nullptr;
};

}  // namespace detent::detail
