// SPDX-License-Identifier: MIT
#pragma once

#include <detent/label.hpp>
#include "timer/node.hpp"

#include "counters/counters_block.hpp"

#include <array>
#include <mutex>
#include <string_view>

namespace detent::detail {

// An engine's labels. Any thread; making one takes a lock.
class label_store {
 public:
  // `set`: the set of engines that this one belongs to, as in shard_identity. 0: none.
  explicit label_store(counters_block& counts, std::uint32_t set = 0) noexcept;
  // Held around a fork, so that no thread is in the middle of making a label.
  static void before_fork() noexcept;
  static void after_fork() noexcept;

  // Returns the same label for the same name. Fails with errc::invalid_option for an empty name or one longer than 63
  // bytes, with capacity_exceeded if there are 255, or because the counters have no room, and then `why` is set.
  errc make(std::string_view name, label& made, std::string& why) { return make(name, nullptr, made, why); }
  // The set's label of that number, from 1 to 255. Each engine of the set learns of it by share(). Throws bad_alloc.
  static label of_set(std::uint32_t set, std::uint32_t number, std::string_view name);
  // Does what make() does, for the label's name.
  errc share(const label& shared, std::string& why);
  // Returns whether the label is none, or this engine's, or its set's and known here.
  bool has(const label& value) const noexcept {
    if (value.owner_ != set_owner_) return value.number_ == 0 || value.owner_ == id_;
    return number(value) != 0;
  }
  // For a label that it has.
  std::uint16_t number(const label& value) const noexcept {
    if (value.owner_ != set_owner_) return static_cast<std::uint16_t>(value.number_);
    // (3) acquire: pairs with (4), so that the label is found.
    return of_set_[value.number_ - 1u].load(base::acquire);
  }
  // Returns null if there is none.
  label_block* find(std::uint16_t number) const noexcept {
    return number == 0 ? nullptr : blocks_[number - 1u].load(base::acquire);  // (1) acquire: pairs with (2)
  }
  // For a timer whose cold part the caller may read; otherwise a guess.
  label_block* find(const cold_node& of) const noexcept { return find(of.label()); }
  label named(std::uint16_t number) const noexcept;
  label named(const label_block* block) const noexcept;  // null: none

 private:
  errc make(std::string_view name, const label* shared, label& made, std::string& why);
  // Different from any id, and from the owner of no label.
  static std::uint64_t owner_of(std::uint32_t set) noexcept { return std::uint64_t{1} << 63 | set; }

  const std::uint64_t id_;
  const std::uint64_t set_owner_;
  counters_block& counts_;
  std::mutex mutex_;
  std::array<label, counters_layout::label_capacity> labels_;
  std::array<base::atomic<label_block*>, counters_layout::label_capacity> blocks_{};
  // The numbers that the set's labels have here. 0: not known.
  std::array<base::atomic<std::uint16_t>, counters_layout::label_capacity> of_set_{};
  std::uint16_t count_ = 0;
};

}  // namespace detent::detail
