// SPDX-License-Identifier: MIT
// The executors of an engine by number: 0 is its own, the others are those that timers and groups may name.
#pragma once

#include <detent/executor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace detent::detail {

// Any thread, except reset(), which is for the thread that ends the drive: from then on at() has nothing. Before, the
// executors' queues may hold references to the core.
class executor_table {
 public:
  // Together with lane_count in a byte.
  static constexpr std::size_t most = 63;

  // `others` has at most `most`, and no null. Throws bad_alloc.
  executor_table(std::shared_ptr<executor> own, std::vector<std::shared_ptr<executor>> others);

  // Whether callbacks run inline, all of them, and nothing is ever handed over.
  bool empty() const noexcept { return known_.empty(); }
  std::size_t size() const noexcept { return known_.size(); }
  executor& at(std::uint8_t number) const noexcept { return *known_[number]; }
  bool has(const executor& named) const noexcept { return find(named) != size(); }
  // Whether that one is the driver itself.
  bool runs_inline(std::uint8_t number) const noexcept { return number == 0 && stands_in_; }
  // Of one that it has.
  std::uint8_t number(const executor& named) const noexcept { return static_cast<std::uint8_t>(find(named)); }
  void reset() noexcept { owned_.clear(); }

 private:
  std::size_t find(const executor& named) const noexcept;

  const bool stands_in_;  // the first is there for timers that name none
  std::vector<std::shared_ptr<executor>> owned_;
  std::vector<executor*> known_;  // stays: a call may still ask when the drive has ended
};

}  // namespace detent::detail
