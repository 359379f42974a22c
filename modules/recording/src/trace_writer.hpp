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

// Times never run backwards: what comes late in the order gets the time of the row before, and keeps its deadline. An
// operation that would mean nothing, as the arming that it belongs to was lost, is left out and lost, too.
class trace_writer {
 public:
  // Times count from `zero`; deadlines are rounded up here, as a group's time moves those that are not.
  trace_writer(trace_file& file, nanoseconds_t zero, tick_grid ticks) noexcept
      : file_(file), zero_(zero), ticks_(ticks) {}

  // `lost`: the number of others lost before it.
  void add(const operation& what, std::uint64_t lost) noexcept;
  void flush() noexcept;
  // On what waits for another operation.
  void give_up() noexcept;

  // Operations that got no row, apart from add()'s `lost`; says so once.
  std::uint64_t take_lost() noexcept { return std::exchange(lost_, 0); }
  // How many the file says are missing.
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
  nanoseconds_t last_ = 0;  // from the zero
  recorded_generations generations_;
  recorded_groups groups_;
  recorded_places places_;
  std::vector<operation> waiting_;  // restarts that took their place before the re-arming which they found
  std::uint64_t lost_ = 0;
  std::uint64_t unreported_ = 0, reported_ = 0;  // lost: no line says so, a line in the file says so
  std::uint64_t reporting_ = 0;                  // a line that is not in the file yet says so
  std::size_t used_ = 0;
  std::array<char, limits::recorded_text> text_;
};

}  // namespace detent::detail
