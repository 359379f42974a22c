// SPDX-License-Identifier: MIT
#include "callers/cancel.hpp"

#include <detent/base/compiler.hpp>
#include <detent/detail/stoppable.hpp>

#include "limits.hpp"
#include "threads/driver_port.hpp"
#include "timer/run_scope.hpp"

#include <algorithm>
#include <array>

namespace detent::detail {
namespace {

// Counts a timer that this thread cancelled, and frees its node or has the driver do it.
DETENT_ALWAYS_INLINE inline void end_cancelled(engine_core& core, node_index index, std::uint32_t generation,
                                               cancel_transition done, bool is_critical) noexcept {
  core.seen.record_cancel(index, generation);
  record_lease mine(core.threads);
  core.places.give_back();
  core.seen.cancelled(*mine, index, transitions::life(generation));
  if (done == cancel_transition::from_queued || done == cancel_transition::from_dispatched) {
    free_node(core, *mine, index, core.node_at(index));
  } else if (mine->driving != nullptr) {
    mine->driving->reap(index, core.node_at(index));
  } else {
    const std::uint64_t entry = submission::make(submission::kind::reap, generation, index);
    // If a push fails, the node is freed when its slot comes round. No deadline: only the backlog may ring.
    if (is_critical) [[unlikely]]
      return core.in.push_many(*mine, &entry, 1, forever, true);
    if (mine->reaps != nullptr) [[unlikely]]
      return core.in.add_reap(*mine, entry);
    submit(core, *mine, entry, forever);
  }
}

// Destroys the callable of a timer that this thread cancelled. A function apart, because it needs many registers.
DETENT_NOINLINE void empty_and_end(engine_core& core, node_index index, std::uint32_t generation,
                                   cancel_transition done) noexcept {
  node& target = core.node_at(index);
  base::show_acquire(&target);
  // Destroyed last: it may hold the last reference to this very engine.
  detached_callable taken(*target.ops, target.capture);
  base::show_release(&target);  // for the thread that gets the node next
  // Before the driver may have the node. Its flags stay as they are now.
  bool is_critical = false;
  if (const std::uint64_t word = observe(target.pair); (word & state_word::cold) != 0) {
    is_critical = core.cold_at(index).is_critical();
    if (label_block* label = label_of(core, index, word)) label->add(label_counter::cancelled);
    leave(core, index);
  }
  if (done == cancel_transition::from_armed) mark_emptied(target.pair);
  end_cancelled(core, index, generation, done, is_critical);
}

// To a deadline as the timer keeps it, which comes at `time`.
DETENT_ALWAYS_INLINE inline bool restart_to(engine_core& core, node_index index, std::uint32_t generation,
                                            nanoseconds_t kept, nanoseconds_t time, bool is_critical) noexcept {
  record_lease mine(core.threads);
  call_hazard::scope under_way(mine->hazard);  // restarted, it may fire, and its callback end the engine
  node& target = core.node_at(index);
  recorded_attempt recorded(core.seen.recording.get(), [&]() noexcept -> operation {
    return {.deadline = time, .id = operation_id(index, generation), .kind = operation_kind::restart};
  });
  restart_transition done = detail::restart(target.pair, generation, kept, mine->next_order++, core.ticks.tick());
  if (done == restart_transition::gone) return false;
  recorded.took_effect();
  core.seen.restarted(*mine, index, transitions::life(generation), time);
  if (done == restart_transition::earlier) {
    if (mine->driving != nullptr) {
      mine->driving->accept(index, target, generation);
    } else {
      const std::uint64_t entry = submission::make(submission::kind::arm, generation, index);
      is_critical ? submit_either(core, *mine, entry, time, true) : submit(core, *mine, entry, time);
    }
  }
  return true;
}

bool restart_cold(engine_core& core, node_index index, std::uint32_t generation, nanoseconds_t deadline) noexcept {
  if (base::is_watched_from_outside() && state_word::generation(observe(core.node_at(index).pair)) == generation)
    base::show_release(&core.node_at(index));
  if (is_cancelled_in_group(core, index)) return false;
  const group_state* group = core.nodes.group_of(index);
  // The label may belong to another generation; the restart will find that out.
  label_block* const label = core.labels.find(core.cold_at(index));
  const nanoseconds_t kept = group != nullptr ? group->to_group_time(deadline, core.time).ns : deadline;
  record_lease mine(core.threads);
  call_hazard::scope under_way(mine->hazard);  // until it is counted for the label, too
  if (!restart_to(core, index, generation, kept, deadline, core.cold_at(index).is_critical())) return false;
  if (label != nullptr) label->add(label_counter::restarted);
  return true;
}

// Nodes of a batch of handles, fetched a lot ahead, as exchanges are fences.
class nodes_of {
 public:
  nodes_of(const engine_core& core, std::span<const timer> timers) noexcept : core_(core), timers_(timers) { fetch(0); }
  // Returns the node of the next handle, in order, or null if it belongs to another engine.
  node* at(std::size_t place) noexcept {
    if (place % limits::cancel_lot == 0) fetch(place + limits::cancel_lot);
    return found_[place % found_.size()];
  }

 private:
  void fetch(std::size_t at) noexcept {
    for (const std::size_t end = std::min(at + limits::cancel_lot, timers_.size()); at < end; ++at) {
      const bool own = timer_access::core(timers_[at]) == &core_;
      node* const named = own ? &core_.node_at(timer_access::index(timers_[at])) : nullptr;
      if (own) base::prefetch_to_write(named);
      found_[at % found_.size()] = named;
    }
  }

  const engine_core& core_;
  const std::span<const timer> timers_;
  std::array<node*, 2 * limits::cancel_lot> found_;
};

}  // namespace

cancel_result cancel(engine_core& core, node_index index, std::uint32_t generation, bool wait) noexcept {
  cancel_transition done = detail::cancel(core.node_at(index).pair, generation, wait);
  if (done == cancel_transition::gone) return cancel_result::gone;
  if (done == cancel_transition::marked_last) return cancel_result::running;
  if (done == cancel_transition::emptied_armed) {
    end_cancelled(core, index, generation, done, false);
  } else {
    empty_and_end(core, index, generation, done);
  }
  return cancel_result::cancelled;
}

std::size_t cancel_many(engine_core& core, std::span<const timer> timers) noexcept {
  core.add_reference();  // a capture that dies here may be what holds the engine
  std::size_t plainly = 0, cancelled = 0;
  {
    record_lease mine(core.threads);
    reap_batch batch;
    reap_batch* const outer = std::exchange(mine->reaps, &batch);
    // The fast path keeps no account of places, and records nothing.
    const bool plain = !core.places.is_limited() && core.seen.recording == nullptr;
    nodes_of nodes(core, timers);
    for (std::size_t at = 0; at < timers.size(); ++at) {
      timer each = timers[at];
      node* const named = nodes.at(at);
      const node_index index = timer_access::index(each);
      // Once a line is in the cache, a load costs less than an exchange that fails.
      if (named == nullptr) [[unlikely]] {
        if (each.cancel() == cancel_result::cancelled) ++cancelled;
      } else if (const std::uint32_t half = timer_access::queued_half(each);
                 plain && observe(named->pair) >> 32 == half && detail::cancel_plain(named->pair, half)) {
        ++plainly;
        DETENT_PROBE(cancel, &core, index, timer_access::id(each));
        core.pool.free(mine->cache, index);
      } else if (cancel(core, index, timer_access::generation(each), false) == cancel_result::cancelled) {
        ++cancelled;
      }
    }
    mine->counts.add(counter::cancelled, plainly);
    core.in.push_reaps(*mine);
    mine->reaps = outer;
  }
  core.drop_reference();
  return plainly + cancelled;
}

cancel_result cancel_and_wait(engine_core& core, node_index index, std::uint32_t generation) noexcept {
  const bool wait = !run_scope::inside(core, index, generation);
  cancel_result result = cancel(core, index, generation, wait);
  // In the child of a fork no thread runs it.
  if (result == cancel_result::running && wait && !core.is_forked())
    core.waiters.wait(core.node_at(index).pair, generation);
  // The caller sees all that an ended run did, however long ago. Not where this call has cancelled the timer: its
  // capture may have held the engine.
  if (result != cancel_result::cancelled && base::is_watched_from_outside()) base::show_acquire(&core.node_at(index));
  return result;
}

cancel_result cancel_held(engine_core& core, const timer& of) noexcept {
  return cancel_and_wait(core, timer_access::index(of), timer_access::generation(of));
}

bool restart(engine_core& core, node_index index, std::uint32_t generation, nanoseconds_t deadline) noexcept {
  const nanoseconds_t rounded = core.ticks.round_up(deadline);
  if ((observe(core.node_at(index).pair) & state_word::cold) != 0) [[unlikely]]
    return restart_cold(core, index, generation, rounded);
  return restart_to(core, index, generation, rounded, rounded, false);
}

bool restart_held(engine_core& core, const timer& of, nanoseconds_t deadline) noexcept {
  return !core.stopped() && restart(core, timer_access::index(of), timer_access::generation(of), deadline);
}

bool is_pending(const engine_core& core, node_index index, std::uint32_t generation) noexcept {
  std::uint64_t word = observe(core.node_at(index).pair);
  if (state_word::generation(word) != generation) return false;
  // The second check: its cold part may have been a later generation's.
  if ((word & state_word::cold) != 0 &&
      (is_cancelled_in_group(core, index) || state_word::generation(observe(core.node_at(index).pair)) != generation))
    return false;
  if (state_word::state(word) == timer_state::firing)
    return (word & (state_word::periodic | state_word::last)) == state_word::periodic;
  return state_word::pending(state_word::state(word));
}

// Between two looks at the word, which is that of one arming both times; of this generation, as is_pending() finds it
// in between.
std::optional<nanoseconds_t> deadline_of(const engine_core& core, node_index index, std::uint32_t generation) noexcept {
  const node& of = core.node_at(index);
  for (std::uint64_t word = observe(of.pair), again;; word = again) {
    if (!is_pending(core, index, generation)) return std::nullopt;
    const nanoseconds_t due = core.nodes.due_time(index, word, deadline_between_looks(of.pair));
    again = observe(of.pair);
    if (again == word) return due;
  }
}

}  // namespace detent::detail
