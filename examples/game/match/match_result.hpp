// SPDX-License-Identifier: MIT
// What a match came to, as text: each event with its time to the nanosecond, and a hash of all state for each frame.
#pragma once

#include <detent/time.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <ostream>
#include <utility>

namespace game {

// FNV-1a, 64 bits: not for enemies, but no change of state goes unseen.
class fingerprint {
 public:
  void add(std::int64_t value) noexcept {
    for (int shift = 0; shift < 64; shift += 8) {
      value_ ^= static_cast<std::uint64_t>(value) >> shift & 0xff;
      value_ *= 0x100000001b3;
    }
  }
  std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

class match_result {
 public:
  explicit match_result(std::ostream& out) : out_(out) {}

  template <class... T>
  void event(detent::time_point when, fmt::format_string<T...> format, T&&... values) {
    const auto ns = when.time_since_epoch().count();
    line_.clear();
    fmt::format_to(std::back_inserter(line_), "{}.{:09} ", ns / 1'000'000'000, ns % 1'000'000'000);
    fmt::format_to(std::back_inserter(line_), format, std::forward<T>(values)...);
    write_line();
  }
  void frame(std::uint64_t number, std::uint64_t hash) {
    line_.clear();
    fmt::format_to(std::back_inserter(line_), "frame {} {:016x}", number, hash);
    write_line();
  }

 private:
  void write_line() {
    line_.push_back('\n');
    out_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
  }

  std::ostream& out_;
  fmt::memory_buffer line_;
};

}  // namespace game
