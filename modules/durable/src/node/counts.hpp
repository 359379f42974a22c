// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_options.hpp>

#include <mutex>

namespace detent::durable::detail {

// The figures that metrics() reads. The thread that talks to the store writes them, once a pass.
class counts {
 public:
  // Only that thread uses this.
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
