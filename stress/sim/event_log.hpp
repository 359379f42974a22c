// SPDX-License-Identifier: MIT
// Everything observable that happens in a world, as one number, and as text on request.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace detent::sim {

class event_log {
 public:
  explicit event_log(bool tracing) noexcept : tracing_(tracing) {}

  void begin_step(std::uint64_t step) noexcept { step_ = step; }
  std::uint64_t step() const noexcept { return step_; }
  // Allocates nothing of its own.
  void note(const char* what, std::initializer_list<std::int64_t> values = {}) noexcept;
  // The same digest, the same events.
  std::uint64_t digest() const noexcept { return digest_; }
  std::uint64_t events() const noexcept { return events_; }

 private:
  void mix(std::uint64_t value) noexcept;

  std::uint64_t digest_ = 0xcbf29ce484222325u;
  std::uint64_t events_ = 0;
  std::uint64_t step_ = 0;
  bool tracing_;
};

}  // namespace detent::sim
