// SPDX-License-Identifier: MIT
// Scheduling: from a free node to one that the driver will find. The templates of detail/schedule.hpp call this.
#include "callers/scheduling.hpp"

#include <detent/base/compiler.hpp>
#include <detent/detail/stoppable.hpp>

namespace detent::detail {
namespace {

// The engine was stopped after the push. Either its stop() found the node, or this takes it back.
DETENT_NOINLINE timer take_back(engine_core& core, thread_record& mine, node_index index, node& made,
                                std::uint64_t word) noexcept {
  const bool returned = collect(made.pair, word) == collect_result::returned;
  if (!returned) {
    mine.hazard.lower();
    return timer_access::make(&core, index, state_word::generation(word));
  }
  withdraw(core, mine, index, made);
  core.seen.refused(errc::stopped);
  const timer none = refused(core, {}, errc::stopped);
  mine.hazard.lower();
  return none;
}

// Gives a timer to the driver of another thread, `word` being queued; the driver processes it by `time`.
inline timer submit_one(engine_core& core, thread_record& mine, node_index index, node& made, std::uint64_t word,
                        nanoseconds_t deadline, nanoseconds_t time, bool is_critical) noexcept {
  mine.hazard.raise();  // from here on the timer may fire, and its callback end the engine
  publish_as(made.pair, word, deadline);
  // The handle and the entry have the same bits: an `arm` of this generation.
  const std::uint64_t id = std::uint64_t{state_word::queued_half(state_word::generation(word))} << 32 | index;
  core.seen.scheduled(index, word, deadline);
  if (is_critical) [[unlikely]] {
    submit_either(core, mine, id, time, true);
  } else {
    push_entry(core, mine, id, time);
  }
  // After the fence of the push, which pairs with the one in begin_stop(). Either stop() finds the node, or this finds
  // the engine stopped; if both, one of them wins the transition.
  if (!core.life.is_open()) [[unlikely]]
    return take_back(core, mine, index, made, word);
  mine.hazard.lower();
  return timer_access::make(&core, id);
}

DETENT_ALWAYS_INLINE inline timer publish_owned(engine_core& core, const claim& owned, const callable_ops& ops,
                                                const plan& when, bool boxed) noexcept {
  node& made = *owned.owned;
  thread_record& mine = *owned.record;
  made.ops = &ops;
  made.placed = {};
  nanoseconds_t grid = when.deadline, deadline = core.ticks.round_up(grid);
  const nanoseconds_t earliest = deadline;
  if (when.group != nullptr) [[unlikely]] {
    // Rounded when the group's time is the engine's again.
    grid = deadline = when.group->to_group_time(grid, core.time).ns;
    when.group->join();
  }
  const std::uint32_t order = mine.next_order++ & state_word::order_mask;
  std::uint64_t flags = describe(core, owned.index, when, grid);
  if (ops.destroy != nullptr) flags |= state_word::owning;
  base::show_release(&made);
  std::uint64_t was_free = made.pair.low.load(base::relaxed);  // relaxed: a free node's word changes by its owner only
  timer_state state = mine.driving != nullptr ? timer_state::armed : timer_state::queued;
  std::uint64_t word = state_word::make(state_word::generation(was_free), order, state, flags);
  core.seen.before_schedule(mine);
  if (boxed) mine.counts.add(counter::boxed);
  if (mine.driving == nullptr) {
    const nanoseconds_t time = core.nodes.filing_time(owned.index, word, deadline);
    // A paused group may be resumed at this moment: the driver checks it at the earliest possible time.
    const timer handle = submit_one(core, mine, owned.index, made, word, deadline, time == forever ? earliest : time,
                                    core.nodes.is_critical(owned.index, word));
    if (boxed && !handle)
      mine.counts.take_back(counter::boxed);  // the engine is not this call's to end, so it is there
    return handle;
  }
  publish_as(made.pair, word, deadline);
  core.seen.scheduled(owned.index, word, deadline);
  mine.driving->insert(owned.index, made);
  return timer_access::make(&core, owned.index, state_word::generation(word));
}

// In an engine that records. The row takes its place before others can find the timer, and is left out if the call is
// refused.
DETENT_NOINLINE DETENT_COLD timer publish_recorded(engine_core& core, const claim& owned, const callable_ops& ops,
                                                   const plan& when, bool boxed) noexcept {
  const engine_hold until_recorded(core);  // the timer may fire at once, and its callback end the engine
  recorded_attempt recorded(core.seen.recording.get(), [&]() noexcept -> operation {
    // Relaxed: as in publish_owned().
    const std::uint32_t generation = state_word::generation(owned.owned->pair.low.load(base::relaxed));
    return {.deadline = when.deadline,
            .id = operation_id(owned.index, generation),
            .group = when.group,
            .kind = operation_kind::schedule};
  });
  const timer handle = publish_owned(core, owned, ops, when, boxed);
  if (handle) recorded.took_effect();
  return handle;
}

DETENT_NOINLINE timer schedule_packed_slowly(engine_core* core, nanoseconds_t deadline, const callable_ops& ops,
                                             std::uint64_t first, std::uint64_t second, std::uint64_t third) noexcept {
  if (core == nullptr) [[unlikely]]
    used_after_move("engine", "schedule_at");
  if (core->captures_origin) return timer_access::refusal(needs_origin);
  claim owned = claim_node(*core, {});
  if (owned.owned == nullptr) return refused(*core, {}, owned.problem);
  write_capture(owned.capture, first, second, third);
  return publish(*core, owned, ops, {.deadline = deadline}, false);
}

// The engine is another one than last time, or something is out of the ordinary. Leaves the arguments where they are.
DETENT_NOINLINE timer schedule_packed_elsewhere(engine_core* core, nanoseconds_t deadline, const callable_ops& ops,
                                                std::uint64_t first, std::uint64_t second,
                                                std::uint64_t third) noexcept {
  return thread_registry::recall(core) ? schedule_packed(core, deadline, ops, first, second, third)
                                       : schedule_packed_slowly(core, deadline, ops, first, second, third);
}

DETENT_NOINLINE timer schedule_owning_elsewhere(engine_core* core, nanoseconds_t deadline, const callable_ops& ops,
                                                std::uint64_t first) noexcept {
  return thread_registry::recall(core) ? schedule_packed_owning(core, deadline, ops, first)
                                       : schedule_packed_slowly(core, deadline, ops, first, 0, 0);
}

}  // namespace

DETENT_COLD void count_over_capacity(engine_core& core, std::size_t timers) noexcept {
  record_lease mine(core.threads);
  core.seen.over_capacity(*mine, timers);
}

claim claim_node(engine_core& core, const plan& when) noexcept {
  const auto refuse = [&core](errc problem) {
    core.seen.refused(problem);
    return claim{.problem = problem};
  };
  if (const errc problem = core.refusal(); problem != errc{}) return refuse(problem);
  if (!is_possible(core, when)) return refuse(errc::invalid_option);
  if (when.group != nullptr && when.group->has_ended()) [[unlikely]]
    return refuse(errc::stopped);
  if (!core.places.take()) {
    count_over_capacity(core, 1);
    return refuse(errc::capacity_exceeded);
  }
  thread_record* mine = core.threads.mine();
  if (mine == nullptr) mine = &core.threads.borrow_spare();
  node_index index = core.pool.allocate(mine->cache);
  if (index == alloc::no_slot) {
    core.threads.give_back(*mine);
    core.places.give_back();
    return refuse(errc::out_of_memory);
  }
  node& owned = core.node_at(index);
  base::show_acquire(&owned);  // from the one that freed it, before the callable is made in there
  return {.owned = &owned, .record = mine, .capture = owned.capture, .index = index};
}

void abandon(engine_core& core, const claim& owned) noexcept {
  core.places.give_back();
  base::show_release(owned.owned);
  core.pool.free(owned.record->cache, owned.index);
  core.threads.give_back(*owned.record);
}

timer publish(engine_core& core, const claim& owned, const callable_ops& ops, const plan& when, bool boxed) noexcept {
  timer handle = core.seen.recording == nullptr ? publish_owned(core, owned, ops, when, boxed)
                                                : publish_recorded(core, owned, ops, when, boxed);
  core.threads.give_back(*owned.record);
  return handle;
}

// The most frequent call: what claim_node() and publish() do, where nothing is out of the ordinary. Flattened, as the
// queue's push is ten instructions then, but as a call saves six registers; what is rare is kept out. The record of a
// thread that has used no engine is that of no engine.
DETENT_FLATTEN timer schedule_packed(engine_core* core, nanoseconds_t deadline, const callable_ops& ops,
                                     std::uint64_t first, std::uint64_t second, std::uint64_t third) noexcept {
  thread_record* mine;
  if (!thread_registry::fast_path(core, fast_paths::some, mine) || mine->cache.empty_handed()) [[unlikely]]
    return schedule_packed_elsewhere(core, deadline, ops, first, second, third);
  node_index index = core->pool.allocate(mine->cache);
  node& made = core->node_at(index);
  write_capture(made.capture, first, second, third);
  made.ops = &ops;
  made.placed = {};
  std::uint64_t was_free = made.pair.low.load(base::relaxed);  // relaxed: a free node's word changes by its owner only
  std::uint64_t order = mine->next_order++ & state_word::order_mask;
  const std::uint64_t generation = was_free >> 32 << 32;  // the lower half of a free node's word means nothing
  std::uint64_t word = generation | order | state_word::field(timer_state::queued);
  core->seen.before_schedule(*mine);
  deadline = core->ticks.round_up(deadline);
  return submit_one(*core, *mine, index, made, word, deadline, deadline, false);
}

// Takes the same steps in a separate function, because the one above would otherwise be compiled into more
// instructions.
DETENT_FLATTEN timer schedule_packed_owning(engine_core* core, nanoseconds_t deadline, const callable_ops& ops,
                                            std::uint64_t first) noexcept {
  thread_record* mine;
  if (!thread_registry::fast_path(core, fast_paths::some, mine) || mine->cache.empty_handed()) [[unlikely]]
    return schedule_owning_elsewhere(core, deadline, ops, first);
  node_index index = core->pool.allocate(mine->cache);
  node& made = core->node_at(index);
  write_capture(made.capture, first, 0, 0);
  made.ops = &ops;
  made.placed = {};
  std::uint64_t was_free = made.pair.low.load(base::relaxed);  // relaxed: as in schedule_packed()
  std::uint64_t order = mine->next_order++ & state_word::order_mask;
  std::uint64_t word = was_free >> 32 << 32 | order | state_word::field(timer_state::queued) | state_word::owning;
  core->seen.before_schedule(*mine);
  deadline = core->ticks.round_up(deadline);
  return submit_one(*core, *mine, index, made, word, deadline, deadline, false);
}

nanoseconds_t deadline_after(const engine_core* core, nanoseconds_t delay) noexcept {
  if (core == nullptr) [[unlikely]]
    used_after_move("engine", "schedule_after");
  // A group may outlive its engine, which a manual clock need not: a stopped engine refuses any deadline.
  if (core->time.is_manual() && core->stopped()) [[unlikely]]
    return forever;
  // Due by the next pass, regardless of what the clock that delays count from allows for.
  if (delay <= 0) [[unlikely]]
    return core->time.certain();
  return add_saturated(core->time.not_before_now(), delay);
}

errc plan_periodic(const engine_core& core, duration initial, duration period, period_kind kind, plan& made) noexcept {
  made.period = period.count();
  if (made.period <= 0) return errc::invalid_period;
  made.deadline = deadline_after(&core, initial.count());
  made.kind = kind;
  return errc{};
}

}  // namespace detent::detail
