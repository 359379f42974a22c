// SPDX-License-Identifier: MIT
// Makes the rows of a trace of what a recorder was told. The recorder's own thread.
#pragma once

#include "recorded_groups.hpp"
#include "recorded_lives.hpp"
#include "trace_file.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace detent::detail {

// Times never run backwards: what comes late in the order gets the time of the row before, and keeps its deadline. What
// would mean nothing, as the arming that it belongs to was lost, is left out and lost, too.
class trace_writer {
 public:
  // Times count from `zero`.
  trace_writer(trace_file& file, nanoseconds_t zero) noexcept : file_(file), zero_(zero) {}

  // These say how many operations were lost.
  std::uint64_t add(const operation& what) noexcept;
  // `lost`: in all, by whomever. The trace tells of those that it has not told of.
  std::uint64_t flush(std::uint64_t lost) noexcept;
  // What has waited in vain.
  std::uint64_t give_up() noexcept;

  std::uint64_t told() const noexcept { return told_; }

 private:
  static constexpr std::size_t longest_row = 96;

  void arm(const operation& what);
  void turn(const operation& what);
  void put(char letter, nanoseconds_t at, std::uint64_t id, nanoseconds_t deadline, operation_kind why) noexcept;
  void take_up_waiting(const operation& armed);

  trace_file& file_;
  const nanoseconds_t zero_;
  nanoseconds_t last_ = 0;  // from the zero
  recorded_lives lives_;
  recorded_groups groups_;
  std::vector<operation> waiting_;  // restarts that took their place before the re-arming which they found
  std::uint64_t told_ = 0, lost_ = 0;
  std::size_t used_ = 0;
  std::array<char, 1 << 16> text_;
};

}  // namespace detent::detail
