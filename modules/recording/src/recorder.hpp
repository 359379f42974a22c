// SPDX-License-Identifier: MIT
// Records what is done to an engine's timers (engine_options::record), as a trace that can be replayed.
#pragma once

#include <detent/error.hpp>

#include "observe/recording_port.hpp"
#include "operation_ring.hpp"
#include "platform/clock_reader.hpp"
#include "recording_limits.hpp"
#include "timer/tick_grid.hpp"
#include "trace_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

namespace detent::detail {

class trace_writer;

// Any thread reports operations to it and never waits. An operation that finds no room is counted and lost. A thread of
// its own writes them in an order in which the operations of one timer stand as they happened: schedule before restart
// before cancel or fire. This is the order of places in a ring. So a place is taken before other threads can find or
// move a timer, and after a timer was cancelled or started. If two restarts of one timer overlap, either may come
// first.
class recorder final : public recording_port {
 public:
  // Times count from now, and deadlines are rounded up to `ticks`. Throws bad_alloc.
  explicit recorder(const clock_reader& time, std::size_t room = limits::recording_room,
                    tick_grid ticks = tick_grid(1));
  ~recorder() override { recorder::close(); }

  // Creates the file and starts the thread; if that fails, says why. `engine` is its name in messages about later
  // failures.
  errc open(const std::string& path, const std::string& engine, std::string& why);
  errc begin(std::string& why) override { return file_.begin(why); }
  void close() noexcept override;

  void cancelled(std::uint32_t index, std::uint32_t generation) noexcept override;
  void ended(operation_kind how, std::uint32_t index, std::uint32_t generation, nanoseconds_t at) noexcept override;
  void turned(operation_kind how, const void* group) noexcept override;
  void* begin_attempt(const operation& what) noexcept override;
  void end_attempt(void* begun, bool effective) noexcept override;

  std::uint64_t dropped() const noexcept override { return dropped_.load(base::relaxed); }  // relaxed: a counter

 private:
  operation_ring::place* take() noexcept;
  void fill(operation_ring::place& taken) noexcept;
  void add(const operation& what) noexcept;
  void lose() noexcept;
  bool owes_nothing() const noexcept;
  void write(trace_writer& rows) noexcept;
  void wake() noexcept;

  const clock_reader& time_;
  const nanoseconds_t zero_;
  const tick_grid ticks_;
  operation_ring ring_;
  base::atomic<std::uint64_t> dropped_{0};
  base::atomic<std::uint64_t> unclaimed_{0};      // those that the next operation with room must report
  base::atomic<std::uint64_t> without_place_{0};  // attempts under way that found no room
  base::atomic<bool> closed_{true};
  base::atomic<std::uint32_t> bell_{0};
  trace_file file_;
  std::thread writer_;
};

}  // namespace detent::detail
