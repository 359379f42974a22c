// SPDX-License-Identifier: MIT
// What a handle can do: cancel, wait, restart.
#include "engine/engine_core.hpp"
#include "engine/live_cores.hpp"
#include "observe/probes.hpp"

#include <algorithm>
#include <array>

namespace detent::detail {
namespace {

// Where many are cancelled, so many nodes are fetched at a time, while as many are dealt with.
constexpr std::size_t lot = 16;

}  // namespace

// The commonest end of a timer, by the shortest way. `mine` is the calling thread's record.
inline bool engine_core::cancel_plain(thread_record& mine, node_index index, std::uint32_t queued_half) noexcept {
  if (!detail::cancel_plain(node_at(index).pair, queued_half)) return false;
  probes::cancel(this, index, std::uint64_t{queued_half} << 32 | index);  // together the id, which is there already
  mine.counts.add(counter::cancelled);
  pool_.free(mine.cache, index);
  return true;
}

cancel_result engine_core::cancel(node_index index, std::uint32_t generation, bool wait) noexcept {
  node& target = node_at(index);
  cancel_transition done = detail::cancel(target.pair, generation, wait);
  if (done == cancel_transition::gone) return cancel_result::gone;
  if (done == cancel_transition::marked_last) return cancel_result::running;
  if (done == cancel_transition::emptied_armed) {
    end_cancelled(index, generation, done);
  } else {
    empty_and_end(index, generation, done);
  }
  return cancel_result::cancelled;
}

// Destroys the callable of a timer that this thread cancelled. A function apart, because it needs many registers.
[[gnu::noinline]] void engine_core::empty_and_end(node_index index, std::uint32_t generation,
                                                  cancel_transition done) noexcept {
  node& target = node_at(index);
  base::show_acquire(&target);
  // Destroyed last: it may hold the last reference to this very engine.
  detached_callable taken(*target.ops, target.capture);
  base::show_release(&target);  // for whoever has the node next
  // Before the driver may have the node. Its flags stay as they are now.
  if (const std::uint64_t word = observe(target.pair); (word & state_word::cold) != 0) {
    count_end(index, word, label_counter::cancelled);
    leave(index);
  }
  if (done == cancel_transition::from_armed) mark_emptied(target.pair);
  end_cancelled(index, generation, done);
}

// Counts a timer that this thread cancelled, and frees its node or has the driver do it.
void engine_core::end_cancelled(node_index index, std::uint32_t generation, cancel_transition done) noexcept {
  probes::cancel(this, index, probes::life(generation));
  if (recorder_ != nullptr) [[unlikely]]
    recorder_->cancelled(index, generation);
  record_lease record(threads_);
  give_place_back();
  record->counts.add(counter::cancelled);
  if (done == cancel_transition::from_queued || done == cancel_transition::from_dispatched) {
    free_node(*record, index, node_at(index));
  } else if (record->driving) {
    reap(index, node_at(index));
  } else {
    const std::uint64_t entry = submission::make(submission::kind::reap, generation, index);
    if (record->reaps != nullptr) [[unlikely]]
      return add_reap(*record, entry);
    // If the push fails, the node is freed when its slot comes round. No deadline: only the backlog may ring.
    submit(*record, entry, forever);
  }
}

std::size_t engine_core::cancel_many(std::span<const timer> timers) noexcept {
  add_reference();  // a capture that dies here may be what holds the engine
  std::size_t plainly = 0, cancelled = 0;
  {
    record_lease record(threads_);
    reap_batch batch;
    reap_batch* const outer = std::exchange(record->reaps, &batch);
    // The short way keeps no account of places, and records nothing.
    const bool plain = options_.capacity == 0 && recorder_ == nullptr;
    // Nodes are fetched a lot ahead, as exchanges are fences. Once a line is here, a look costs less than an exchange
    // in vain.
    std::array<node*, 2 * lot> found;
    auto look_up = [&](std::size_t at) {
      for (const std::size_t end = std::min(at + lot, timers.size()); at < end; ++at) {
        const bool own = timer_access::core(timers[at]) == this;
        node* const named = own ? &node_at(timer_access::index(timers[at])) : nullptr;
        if (own) __builtin_prefetch(named, 1);
        found[at % found.size()] = named;
      }
    };
    look_up(0);
    for (std::size_t at = 0; at < timers.size(); ++at) {
      if (at % lot == 0) look_up(at + lot);
      timer each = timers[at];
      node* const named = found[at % found.size()];
      const node_index index = timer_access::index(each);
      if (named == nullptr) [[unlikely]] {
        if (each.cancel() == cancel_result::cancelled) ++cancelled;
      } else if (const std::uint32_t half = timer_access::queued_half(each);
                 plain && observe(named->pair) >> 32 == half && detail::cancel_plain(named->pair, half)) {
        ++plainly;
        probes::cancel(this, index, timer_access::id(each));
        pool_.free(record->cache, index);
      } else if (cancel(index, timer_access::generation(each), false) == cancel_result::cancelled) {
        ++cancelled;
      }
    }
    record->counts.add(counter::cancelled, plainly);
    push_reaps(*record);
    record->reaps = outer;
  }
  drop_reference();
  return plainly + cancelled;
}

cancel_result engine_core::cancel_and_wait(node_index index, std::uint32_t generation) noexcept {
  const bool wait = !run_scope::inside(*this, index, generation);
  cancel_result result = cancel(index, generation, wait);
  // In the child of a fork nobody runs it.
  if (result == cancel_result::running && wait && !is_forked()) runs_.wait(node_at(index).pair, generation);
  // What a run did that has ended, also one that ended long ago. Not of a timer that this has cancelled: its capture
  // may have held the engine.
  if (result != cancel_result::cancelled && base::is_watched_from_outside()) base::show_acquire(&node_at(index));
  return result;
}

// The keep-alive's touch, by the shortest way; the tick is 1 ns.
inline bool engine_core::restart_later(thread_record& mine, node_index index, std::uint32_t queued_half,
                                       nanoseconds_t deadline) noexcept {
  // Counted ahead of the exchange: after it the timer may fire, and its callback end the engine.
  bool counted = false;
  const auto count = [&]() noexcept {
    mine.counts.add(counter::restarted);
    counted = true;
  };
  if (!detail::restart_later(node_at(index).pair, queued_half, deadline, mine.next_order, count)) {
    if (counted) mine.counts.take_back(counter::restarted);  // another thread was faster
    return false;
  }
  ++mine.next_order;
  return true;
}

// To a deadline as the timer keeps it, which comes at `time`.
[[gnu::always_inline]] inline bool engine_core::restart_to(node_index index, std::uint32_t generation,
                                                           nanoseconds_t kept, nanoseconds_t time) noexcept {
  record_lease record(threads_);
  call_hazard::scope under_way(record->hazard);  // restarted, it may fire, and its callback end the engine
  node& target = node_at(index);
  recorded_attempt recorded(recorder_.get(), [&]() noexcept -> operation {
    return {.deadline = time, .id = recorder::id_of(index, generation), .kind = operation_kind::restart};
  });
  restart_transition done = detail::restart(target.pair, generation, kept, record->next_order++);
  if (done == restart_transition::gone) return false;
  probes::restart(this, index, probes::life(generation), time);
  recorded.took_effect();
  record->counts.add(counter::restarted);
  if (done == restart_transition::earlier) {
    if (record->driving) {
      take_up_submitted(index, target, generation);
    } else {
      submit(*record, submission::make(submission::kind::arm, generation, index), time);
    }
  }
  return true;
}

bool engine_core::restart(node_index index, std::uint32_t generation, nanoseconds_t deadline) noexcept {
  const nanoseconds_t rounded = ticks_.round_up(deadline);
  if ((observe(node_at(index).pair) & state_word::cold) != 0) [[unlikely]]
    return restart_cold(index, generation, rounded);
  return restart_to(index, generation, rounded, rounded);
}

bool engine_core::restart_cold(node_index index, std::uint32_t generation, nanoseconds_t deadline) noexcept {
  if (base::is_watched_from_outside() && state_word::generation(observe(node_at(index).pair)) == generation)
    base::show_release(&node_at(index));
  if (is_cancelled_in_group(index)) return false;
  const group_state* group = nodes_.group_of(index);
  label_block* const label = labels_.find(cold_at(index));  // of another life, perhaps, which the restart will tell
  const nanoseconds_t kept = group != nullptr ? group->to_group_time(deadline, time_) : deadline;
  record_lease record(threads_);
  call_hazard::scope under_way(record->hazard);  // until it is counted for the label, too
  if (!restart_to(index, generation, kept, deadline)) return false;
  if (label != nullptr) label->add(label_counter::restarted);
  return true;
}

bool engine_core::is_pending(node_index index, std::uint32_t generation) const noexcept {
  std::uint64_t word = observe(node_at(index).pair);
  if (state_word::generation(word) != generation) return false;
  // The second look: its twin may have been a later life's.
  if ((word & state_word::cold) != 0 &&
      (is_cancelled_in_group(index) || state_word::generation(observe(node_at(index).pair)) != generation))
    return false;
  if (state_word::state(word) == timer_state::firing)
    return (word & (state_word::periodic | state_word::last)) == state_word::periodic;
  return state_word::pending(state_word::state(word));
}

}  // namespace detent::detail

namespace detent {

using detail::timer_access;

namespace {

// The checked library finds the use of a handle after its engine's end, the likeliest mistake with handles.
detail::engine_core& core_of(const timer& handle) noexcept {
  detail::engine_core* core = timer_access::core(handle);
  DETENT_ASSERT(detail::live_cores::contains(core) && "the timer's engine has been destroyed");
  return *core;
}

}  // namespace

cancel_result timer::cancel() noexcept {
  detail::engine_core* core = timer_access::core(*this);
  detail::thread_record* mine;
  if (detail::thread_registry::shortcut(core, detail::shortcuts::some, mine) &&
      core->cancel_plain(*mine, timer_access::index(*this), timer_access::queued_half(*this))) [[likely]]
    return cancel_result::cancelled;
  if (core == nullptr) return cancel_result::gone;
  return core_of(*this).cancel(timer_access::index(*this), timer_access::generation(*this), false);
}

cancel_result timer::cancel_and_wait() noexcept {
  if (core_ == nullptr) return cancel_result::gone;
  return core_of(*this).cancel_and_wait(timer_access::index(*this), timer_access::generation(*this));
}

bool timer::restart_at(time_point deadline) noexcept {
  detail::engine_core* core = timer_access::core(*this);
  detail::thread_record* mine;
  const detail::nanoseconds_t told = detail::to_ns(deadline);
  if (detail::thread_registry::shortcut(core, detail::shortcuts::exact_ticks, mine) &&
      core->restart_later(*mine, timer_access::index(*this), timer_access::queued_half(*this), told)) [[likely]] {
    detail::probes::restart(core, timer_access::index(*this), timer_access::id(*this), told);
    return true;
  }
  if (core == nullptr) return false;
  return core_of(*this).restart(timer_access::index(*this), timer_access::generation(*this), told);
}

bool timer::restart_after(duration delay) noexcept {
  if (core_ == nullptr) return false;
  return restart_at(detail::to_time(detail::deadline_after(&core_of(*this), delay.count())));
}

bool timer::pending() const noexcept {
  return core_ != nullptr && core_of(*this).is_pending(timer_access::index(*this), timer_access::generation(*this));
}

std::uint64_t scoped_timer::engine_of(const timer& owned) noexcept { return core_of(owned).number(); }

void scoped_timer::end() noexcept {
  if (detail::live_cores::lives(engine_)) timer_.cancel_and_wait();
}

}  // namespace detent
