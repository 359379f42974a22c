// SPDX-License-Identifier: MIT
// The executors of an engine by number: 0 is its own, the others are those that timers and groups may name. The last
// one is on_driver(), which is 0 where the engine has no executor of its own.
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
  // Of engine_options::executors. With the engine's own and on_driver() there are 64, and with lane_count of each they
  // fit in a byte.
  static constexpr std::size_t most = 62;

  // `others` has at most `most`, and no null. Throws bad_alloc.
  executor_table(std::shared_ptr<executor> own, std::vector<std::shared_ptr<executor>> others);

  // Whether callbacks run inline, all of them, and nothing is ever handed over.
  bool empty() const noexcept { return known_.empty(); }
  std::size_t size() const noexcept { return known_.size(); }
  executor& at(std::uint8_t number) const noexcept { return *known_[number]; }
  bool has(const executor& named) const noexcept { return &named == on_driver() || find(named) != size(); }
  // Whether that one is the driver itself.
  bool runs_inline(std::uint8_t number) const noexcept { return known_[number] == on_driver(); }
  // Of one that it has.
  std::uint8_t number(const executor& named) const noexcept {
    return empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(find(named));
  }
  void reset() noexcept { owned_.clear(); }

 private:
  std::size_t find(const executor& named) const noexcept;

  std::vector<std::shared_ptr<executor>> owned_;
  std::vector<executor*> known_;  // stays: a call may still ask when the drive has ended
};

}  // namespace detent::detail
