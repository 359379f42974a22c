// SPDX-License-Identifier: MIT
// The executors of an engine by number: 0 is its own, the others are those that timers and groups may name. The last
// one is on_driver(), which is 0 if the engine has no executor of its own.
#pragma once

#include <detent/executor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace detent::detail {

// Any thread, except reset(), which is for the thread that ends the drive: from then on at() has none. Before that, the
// executors' queues may hold references to the core.
class executor_table {
 public:
  // The most that engine_options::executors may have. With the engine's own and on_driver() there are 64, which fit in
  // a byte with lane_count of each.
  static constexpr std::size_t most = 62;

  // `others` has at most `most`, and no null. Throws bad_alloc.
  executor_table(std::shared_ptr<executor> own, std::vector<std::shared_ptr<executor>> others);

  // Returns whether all callbacks run inline, and nothing is ever handed over.
  bool empty() const noexcept { return known_.empty(); }
  std::size_t size() const noexcept { return known_.size(); }
  executor& at(std::uint8_t number) const noexcept { return *known_[number]; }
  bool has(const executor& named) const noexcept { return &named == on_driver() || find(named) != size(); }
  // Returns whether that executor is the driver itself.
  bool runs_inline(std::uint8_t number) const noexcept { return known_[number] == on_driver(); }
  // The answer of executor::keeps_order() when the table was made. It is kept because an operation may ask when the
  // executor has gone.
  bool keeps_order(std::uint8_t number) const noexcept { return (ordered_ >> number & 1) != 0; }
  // The number of an executor that it has.
  std::uint8_t number(const executor& named) const noexcept {
    return empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(find(named));
  }
  void reset() noexcept { owned_.clear(); }

 private:
  std::size_t find(const executor& named) const noexcept;

  std::vector<std::shared_ptr<executor>> owned_;
  std::vector<executor*> known_;  // stays, because a call may still ask when the drive has ended
  std::uint64_t ordered_ = 0;     // a bit for each number: keeps_order()
};

}  // namespace detent::detail
