// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_options.hpp>

#include <mutex>

namespace detent::durable::detail {

// The figures that metrics() reads. The thread that talks to the store publishes them once in each pass.
class counts {
 public:
  // Used only by the thread that talks to the store.
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
