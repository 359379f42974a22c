// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include <cstdint>
#include <mutex>

#include "lateness/lateness_log.hpp"
#include "lateness/lateness_series.hpp"

namespace detent::tool {

// Callbacks record here how late they began, by a clock that they read themselves, and whether one began early. One
// thread may record, or several if it was made for that. Read it after the callbacks have ended.
class lateness_probe {
 public:
  explicit lateness_probe(bool shared = false) : shared_(shared) {}
  // To be called before the first timer. The run begins at `start` and takes about `expected`.
  void begin(time_point start, duration expected) {
    start_ = start;
    over_time_ = lateness_series(expected.count() > 0 ? static_cast<std::uint64_t>(expected.count()) : 0);
  }

  void note(time_point deadline) noexcept {
    const time_point now = clock::now();
    const std::int64_t late = (now - deadline).count();
    std::unique_lock lock(mutex_, std::defer_lock);
    if (shared_) lock.lock();
    early_ += late < 0 ? 1 : 0;
    lateness_.record(late);
    over_time_.record((now - start_).count(), late);
  }

  const lateness_log& lateness() const { return lateness_; }
  const lateness_series& over_time() const { return over_time_; }
  std::uint64_t early() const { return early_; }

 private:
  const bool shared_;
  std::mutex mutex_;
  time_point start_ = {};
  lateness_log lateness_;
  lateness_series over_time_;
  std::uint64_t early_ = 0;
};

}  // namespace detent::tool
