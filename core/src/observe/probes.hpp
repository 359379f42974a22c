// SPDX-License-Identifier: MIT
// The engine's probes. docs/profiling.md describes them for their readers.
#pragma once

#include <detent/base/compiler.hpp>
#include <detent/detail/word_layout.hpp>
#include <detent/error.hpp>
#include <detent/time.hpp>
#include "platform/probe.hpp"

#include <cstddef>
#include <cstdint>

// Functions, so that a probe is one line at its place, and its arguments have their types here. A timer is named by its
// node's index and by what has its generation in the bits from 37 on, `life`: of a state word or of a handle's id,
// whichever is at hand.
namespace detent::detail::probes {

using engine = const void*;

// For where there is only the generation.
constexpr std::uint64_t life(std::uint32_t generation) noexcept {
  return std::uint64_t{generation} << state_word::generation_shift;
}

// --- Any thread ---
DETENT_ALWAYS_INLINE inline void schedule([[maybe_unused]] engine of, [[maybe_unused]] std::uint32_t index,
                                          [[maybe_unused]] std::uint64_t life,
                                          [[maybe_unused]] nanoseconds_t deadline) noexcept {
  DETENT_PROBE(schedule, of, index, life, deadline);
}
// It will not start any more.
DETENT_ALWAYS_INLINE inline void cancel([[maybe_unused]] engine of, [[maybe_unused]] std::uint32_t index,
                                        [[maybe_unused]] std::uint64_t life) noexcept {
  DETENT_PROBE(cancel, of, index, life);
}
DETENT_ALWAYS_INLINE inline void restart([[maybe_unused]] engine of, [[maybe_unused]] std::uint32_t index,
                                         [[maybe_unused]] std::uint64_t life,
                                         [[maybe_unused]] nanoseconds_t deadline) noexcept {
  DETENT_PROBE(restart, of, index, life, deadline);
}
// Before the driver is woken for `deadline`; `forever`: because the backlog is full.
DETENT_ALWAYS_INLINE inline void ring([[maybe_unused]] engine of, [[maybe_unused]] nanoseconds_t deadline) noexcept {
  DETENT_PROBE(ring, of, deadline);
}
// An executor does not take a timer that has come due.
DETENT_ALWAYS_INLINE inline void refuse([[maybe_unused]] engine of, [[maybe_unused]] std::uint32_t index,
                                        [[maybe_unused]] std::uint64_t life) noexcept {
  DETENT_PROBE(refuse, of, index, life, std::uint32_t{0});
}
// A call to schedule is refused: there is no timer.
DETENT_ALWAYS_INLINE inline void refuse_call([[maybe_unused]] engine of, [[maybe_unused]] errc reason) noexcept {
  DETENT_PROBE(refuse, of, std::uint32_t{0}, std::uint64_t{0}, static_cast<std::uint32_t>(reason));
}

// --- The driver ---
DETENT_ALWAYS_INLINE inline void drain([[maybe_unused]] engine of, [[maybe_unused]] std::size_t entries) noexcept {
  DETENT_PROBE(drain, of, entries);
}
DETENT_ALWAYS_INLINE inline void sleep([[maybe_unused]] engine of, [[maybe_unused]] nanoseconds_t until) noexcept {
  DETENT_PROBE(sleep, of, until);
}
DETENT_ALWAYS_INLINE inline void wake([[maybe_unused]] engine of, [[maybe_unused]] nanoseconds_t until) noexcept {
  DETENT_PROBE(wake, of, until);
}

// --- The thread that runs the callback ---
// Before it. `label` is its label's number; zero: it has none.
DETENT_ALWAYS_INLINE inline void fire([[maybe_unused]] engine of, [[maybe_unused]] std::uint32_t index,
                                      [[maybe_unused]] std::uint64_t life, [[maybe_unused]] nanoseconds_t deadline,
                                      [[maybe_unused]] nanoseconds_t lateness,
                                      [[maybe_unused]] std::uint32_t label) noexcept {
  DETENT_PROBE(fire, of, index, life, deadline, lateness, label);
}
// After it.
DETENT_ALWAYS_INLINE inline void done([[maybe_unused]] engine of, [[maybe_unused]] std::uint32_t index,
                                      [[maybe_unused]] std::uint64_t life) noexcept {
  DETENT_PROBE(done, of, index, life);
}
// Later than its max_lateness: it is dropped, or fires next.
DETENT_ALWAYS_INLINE inline void late([[maybe_unused]] engine of, [[maybe_unused]] std::uint32_t index,
                                      [[maybe_unused]] std::uint64_t life, [[maybe_unused]] nanoseconds_t deadline,
                                      [[maybe_unused]] nanoseconds_t lateness,
                                      [[maybe_unused]] std::uint32_t dropped) noexcept {
  DETENT_PROBE(late, of, index, life, deadline, lateness, dropped);
}

}  // namespace detent::detail::probes
