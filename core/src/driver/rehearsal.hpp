// SPDX-License-Identifier: MIT
#pragma once

#include <detent/options.hpp>
#include <detent/time.hpp>

#include <memory>

namespace detent::detail {

class shadow_engine;

// A little engine of the worker's own that fires a timer while the worker waits for a deadline, so that the code which
// fires, a microsecond of cache and branch misses on a core that slept, is there when the deadline comes. Its timers
// are counted nowhere and hit no probe. The worker's.
class rehearsal {
 public:
  // So long before the deadline: long enough for a core that knows nothing, short enough for nothing to be forgotten.
  static constexpr nanoseconds_t ahead = 10'000;

  // `wanted`: for an engine that spins longer than that and runs its callbacks itself; else all of this does nothing.
  explicit rehearsal(bool wanted) noexcept;
  ~rehearsal();

  // Before the worker's first turn, for an engine with these options: takes all the memory there will be. Throws
  // bad_alloc.
  void begin(const engine_options& of);
  // Some hundred nanoseconds; a few microseconds on a core that slept.
  void fire_one() noexcept;
  // On the thread that began it.
  void end() noexcept;

 private:
  const bool wanted_;
  std::unique_ptr<shadow_engine> shadow_;
};

}  // namespace detent::detail
