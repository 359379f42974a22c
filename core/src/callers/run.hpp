// SPDX-License-Identifier: MIT
// One run of one timer on any thread, and the steps after it.
#pragma once

#include "callers/engine_core.hpp"

namespace detent::detail {

// Runs a timer that is firing and belongs to this thread. `word` is the word by which it fires, as armed or handed
// over. `now` is a reading of the clock, not before the deadline; after the run it is another one. Returns false if the
// timer was stale, and dropped. Throws nothing but the end of its thread (end_unwound() in run_steps.hpp).
bool run(engine_core& core, thread_record& mine, node_index index, std::uint64_t word, nanoseconds_t& now,
         arrival came);

// An executor's two calls for a timer that it was given; `word` is the arming at the hand-over. Neither does anything
// if the timer was cancelled, restarted or returned since. `order` is the one that it had before, `late` its lateness
// then. Returns false if its callback has not run.
bool run_handed_over(engine_core& core, node_index index, std::uint64_t word, std::uint32_t order,
                     const lateness_parts& late) noexcept;
void drop_handed_over(engine_core& core, node_index index, std::uint64_t word) noexcept;

}  // namespace detent::detail
