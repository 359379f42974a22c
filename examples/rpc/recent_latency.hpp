// SPDX-License-Identifier: MIT
// How long answers take at present: a percentile of the last thousand or so.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

namespace rpc {

class recent_latency {
 public:
  explicit recent_latency(double percentile) : percentile_(percentile) {}

  void add(std::chrono::nanoseconds latency) {
    window_[next_++] = latency;
    if (next_ % refresh == 0) renew();
    if (next_ == window_.size()) next_ = 0;
  }
  // Nothing, until the window has been filled once.
  std::optional<std::chrono::nanoseconds> percentile() const { return current_; }

 private:
  static constexpr std::size_t refresh = 256;

  void renew() {
    full_ = full_ || next_ == window_.size();
    if (!full_) return;
    sorted_ = window_;
    const auto rank = static_cast<std::ptrdiff_t>(percentile_ / 100 * static_cast<double>(sorted_.size() - 1));
    std::nth_element(sorted_.begin(), sorted_.begin() + rank, sorted_.end());
    current_ = sorted_[static_cast<std::size_t>(rank)];
  }

  double percentile_;
  std::array<std::chrono::nanoseconds, 1024> window_{};
  std::array<std::chrono::nanoseconds, 1024> sorted_{};
  std::size_t next_ = 0;
  bool full_ = false;
  std::optional<std::chrono::nanoseconds> current_;
};

}  // namespace rpc
