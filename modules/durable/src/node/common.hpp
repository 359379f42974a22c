// SPDX-License-Identifier: MIT
#pragma once

#include "registry.hpp"
#include "tenures.hpp"
#include "trouble.hpp"

#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>
#include <detent/engine.hpp>

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

// The parts of a node that most others use.
struct common {
  engine& on;
  store& in;
  const options& how;
  const clocks& clock;
  const registry& known;
  tenures& terms;
  trouble& problems;
  counts& counted;
};

}  // namespace detent::durable::detail
