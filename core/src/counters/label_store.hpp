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
  explicit label_store(counters_block& counts) noexcept;
  // Around a fork: no thread is in the middle of making a label.
  static void before_fork() noexcept;
  static void after_fork() noexcept;

  // The same one for the same name. errc::invalid_option: no name, or a longer one than 63 bytes; capacity_exceeded:
  // there are 255; or what the counters have no room for, and then `why` is set.
  errc make(std::string_view name, label& made, std::string& why);
  // Whether it is none, or of this engine.
  bool has(const label& value) const noexcept { return value.number_ == 0 || value.owner_ == id_; }
  static std::uint16_t number(const label& value) noexcept { return static_cast<std::uint16_t>(value.number_); }
  // Null: none.
  label_block* find(std::uint16_t number) const noexcept {
    return number == 0 ? nullptr : blocks_[number - 1u].load(base::acquire);  // (1) acquire: pairs with (2)
  }
  // Of a timer whose cold part is the caller's to read, or a guess.
  label_block* find(const cold_node& of) const noexcept { return find(of.label()); }
  label named(std::uint16_t number) const noexcept;
  label named(const label_block* block) const noexcept;  // null: none

 private:
  const std::uint64_t id_;
  counters_block& counts_;
  std::mutex mutex_;
  std::array<label, counters_layout::label_capacity> labels_;
  std::array<base::atomic<label_block*>, counters_layout::label_capacity> blocks_{};
  std::uint16_t count_ = 0;
};

}  // namespace detent::detail
