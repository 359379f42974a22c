// SPDX-License-Identifier: MIT
#include <detent/unfired_timer.hpp>

#include "callers/cancel.hpp"
#include "callers/scheduling.hpp"

#include <new>

namespace detent::detail {

struct unfired_maker {
  static unfired_timer make(timer handle, nanoseconds_t deadline, std::uint64_t tag, node& of) noexcept {
    return {handle, to_time(deadline), tag, of.ops, of.capture};
  }
};

bool return_timer(engine_core& core, thread_record& mine, node_index index, node& returned,
                  std::vector<unfired_timer>* out) noexcept {
  bool kept = true;
  base::show_acquire(&returned);
  const std::uint64_t word = observe(returned.pair);
  const bool cold = (word & state_word::cold) != 0;
  const bool cancelled = cold && is_cancelled_in_group(core, index);
  if (out != nullptr && !cancelled) {
    nanoseconds_t deadline = deadline_of(returned.pair);
    if (cold) deadline = core.ticks.round_up(later_by(offset_of_group(core, index), group_time{deadline}));
    unfired_timer left = unfired_maker::make(timer_access::make(&core, index, state_word::generation(word)), deadline,
                                             cold ? core.cold_at(index).tag() : 0, returned);
    try {
      out->push_back(std::move(left));
    } catch (const std::bad_alloc&) {
      kept = false;  // a producer raced with the count that made room: this one is destroyed unrun, with `left`
    }
  } else {
    destroy_callable(*returned.ops, returned.capture);
  }
  if (cancelled) core.seen.record_cancel(index, state_word::generation(word));
  end_pending(core, index, word);
  core.seen.ended(mine, cancelled ? counter::cancelled : counter::returned, label_of(core, index, word));
  return kept;
}

void withdraw(engine_core& core, thread_record& mine, node_index index, node& returned) noexcept {
  base::show_acquire(&returned);
  destroy_callable(*returned.ops, returned.capture);
  const std::uint64_t word = observe(returned.pair);
  core.seen.withdrawn(mine, label_of(core, index, word));
  end_pending(core, index, word);
  if (core.life.now() == lifecycle::phase::closed) free_node(core, mine, index, returned);
  mine.open.store(fast_paths::none,
                  base::relaxed);  // relaxed: a hint, which may have been overwritten as it was closed
}

}  // namespace detent::detail
