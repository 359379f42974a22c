// SPDX-License-Identifier: MIT
#pragma once

#include <detent/options.hpp>
#include <detent/time.hpp>

#include <memory>

namespace detent::detail {

class stage;

// A little engine of the worker's own that fires a timer while the worker waits for a deadline, so that the code which
// fires, a microsecond of cache and branch misses on a core that slept, is there when the deadline comes. Its timers
// are counted nowhere and hit no probe. The worker's.
class rehearsal {
 public:
  // `wanted`: for an engine that spins and runs its callbacks itself; else all of this does nothing.
  explicit rehearsal(bool wanted) noexcept;
  ~rehearsal();

  // Before a wait. The first long one has the stage made, for an engine with these options: without anything to wait
  // for it would be memory for nothing. Where there is no memory the engine does without.
  void prepare(nanoseconds_t wait, const engine_options& of) noexcept {
    if (wanted_ && wait >= worth_it) [[unlikely]]
      make(of);
  }
  // Some hundred nanoseconds; a few microseconds on a core that slept.
  void fire_one() noexcept;
  // On the thread that prepared it.
  void end() noexcept;

 private:
  static constexpr nanoseconds_t worth_it = 200'000;  // a wait that is shorter leaves the caches as they are
  void make(const engine_options& of) noexcept;

  bool wanted_;  // and not made yet
  std::unique_ptr<stage> stage_;
};

}  // namespace detent::detail
