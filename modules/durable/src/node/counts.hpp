// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_options.hpp>

#include <mutex>

namespace detent::durable::detail {

// What metrics() reads: written by the thread that talks to the store, once a pass.
class counts {
 public:
  // By that thread alone.
  metrics now;

  void publish() {
    const std::lock_guard locked(lock_);
    published_ = now;
  }
  metrics read() const {
    const std::lock_guard locked(lock_);
    return published_;
  }

 private:
  mutable std::mutex lock_;
  metrics published_;
};

}  // namespace detent::durable::detail
