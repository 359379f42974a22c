// SPDX-License-Identifier: MIT
// What keeps retries and hedges from becoming the overload that they are meant to survive.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rpc {

// So many per cent of the calls, and a reserve for the beginning. At most the reserve is saved up.
class token_budget {
 public:
  token_budget(std::uint64_t percent, std::uint64_t reserve)
      : percent_(percent), full_(reserve * whole), level_(full_) {}

  // A call was made.
  void earn() {
    ++earned_;
    level_ = std::min(level_ + percent_, full_);
  }
  bool has() const { return level_ >= whole; }
  // For one retry, or hedge. False: there is none to be had.
  bool take() {
    if (!has()) {
      ++refused_;
      return false;
    }
    level_ -= whole;
    ++taken_;
    return true;
  }

  std::uint64_t taken() const { return taken_; }
  std::uint64_t refused() const { return refused_; }
  bool kept() const { return taken_ * whole <= full_ + earned_ * percent_; }

 private:
  static constexpr std::uint64_t whole = 100;  // tokens are kept in hundredths
  std::uint64_t percent_;
  std::uint64_t full_;
  std::uint64_t level_;
  std::uint64_t earned_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace rpc
