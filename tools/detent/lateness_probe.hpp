// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include <cstdint>

#include "lateness_log.hpp"

namespace detent::tool {

// What callbacks note down about themselves: how late they began, by the clock read in the callback, and whether one
// ever began early. Belongs to the worker thread; read it after engine::stop().
class lateness_probe {
 public:
  void note(time_point deadline) noexcept {
    const std::int64_t late = (clock::now() - deadline).count();
    early_ += late < 0 ? 1 : 0;
    lateness_.record(late);
  }

  const lateness_log& lateness() const { return lateness_; }
  std::uint64_t early() const { return early_; }

 private:
  lateness_log lateness_;
  std::uint64_t early_ = 0;
};

}  // namespace detent::tool
