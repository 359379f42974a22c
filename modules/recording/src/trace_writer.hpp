// SPDX-License-Identifier: MIT
// Makes the rows of a trace of the operations reported to a recorder. The recorder's own thread.
#pragma once

#include "recorded_generations.hpp"
#include "recorded_groups.hpp"
#include "recorded_places.hpp"
#include "recording_limits.hpp"
#include "trace_file.hpp"

#include "timer/tick_grid.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace detent::detail {

// Times never run backwards: an operation that comes late in the order gets the time of the row before it, and keeps
// its deadline. If the arming to which an operation belongs was lost, the operation would mean nothing, so it is left
// out and counted as lost.
class trace_writer {
 public:
  // Times count from `zero`. Deadlines are rounded up here, because moving a group in time may leave them off the tick.
  trace_writer(trace_file& file, nanoseconds_t zero, tick_grid ticks) noexcept
      : file_(file), zero_(zero), ticks_(ticks) {}

  // `lost` is the number of operations lost before this one.
  void add(const operation& what, std::uint64_t lost) noexcept;
  void flush() noexcept;
  // Gives up the operations that wait for another one.
  void give_up() noexcept;

  // Returns once how many operations got no row, not counting add()'s `lost`.
  std::uint64_t take_lost() noexcept { return std::exchange(lost_, 0); }
  // Returns how many operations are missing according to the file.
  std::uint64_t reported() const noexcept { return reported_; }

 private:
  void arm(const operation& what);
  void put_arming(char letter, const operation& what);
  void turn(const operation& what);
  void put(char letter, nanoseconds_t at, std::uint64_t id, nanoseconds_t deadline, operation_kind why) noexcept;
  void take_up_waiting(const operation& armed);
  void lose() noexcept;
  void report_loss() noexcept;

  trace_file& file_;
  const nanoseconds_t zero_;
  const tick_grid ticks_;
  nanoseconds_t last_ = 0;  // since `zero`
  recorded_generations generations_;
  recorded_groups groups_;
  recorded_places places_;
  std::vector<operation> waiting_;  // restarts whose place came before that of the re-arming that they found
  std::uint64_t lost_ = 0;
  // Losses that no line reports, and those that a line in the file reports.
  std::uint64_t unreported_ = 0, reported_ = 0;
  std::uint64_t reporting_ = 0;  // losses in a line that is not in the file yet
  std::size_t used_ = 0;
  std::array<char, limits::recorded_text> text_;
};

}  // namespace detent::detail
