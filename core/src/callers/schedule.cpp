// SPDX-License-Identifier: MIT
// Scheduling: from a free node to one that the driver will find.
#include "engine/engine_core.hpp"
#include "observe/probes.hpp"

#include <new>

namespace detent::detail {

// Whether it leaves the node's twin untouched. None does under ThreadSanitizer, as the short ways tell it nothing.
bool engine_core::is_plain(const plan& when) noexcept {
  if (when.kind != period_kind::none || when.group != nullptr || base::is_watched_from_outside()) return false;
  const timer_options* options = when.one_shot;
  return options == nullptr || (options->max_lateness == (duration::max)() && options->slack == duration(0) &&
                                options->lane == 0 && options->label == label());
}

bool engine_core::is_possible(const plan& when) const noexcept {
  auto within = [this](const auto& options) {
    return options.lane < lane_count && options.slack >= duration(0) && labels_.has(options.label);
  };
  return (when.one_shot == nullptr || within(*when.one_shot)) && (when.periodic == nullptr || within(*when.periodic));
}

errc engine_core::refusal() const noexcept {
  // A stop that comes later is met by the second look, behind the push.
  switch (life_.now()) {
    case lifecycle::phase::open: return errc{};
    case lifecycle::phase::forked: return errc::forked;
    default: return errc::stopped;
  }
}

bool engine_core::take_place() noexcept {
  if (options_.capacity == 0) return true;
  // Relaxed throughout: the count protects no memory, and one atomic counter is exact by itself.
  std::uint64_t taken = places_taken_.load(base::relaxed);
  do {
    if (taken >= options_.capacity) return false;
  } while (!places_taken_.compare_exchange_weak(taken, taken + 1, base::relaxed, base::relaxed));
  return true;
}

void engine_core::give_place_back() noexcept {
  if (options_.capacity != 0) places_taken_.fetch_sub(1, base::relaxed);  // relaxed: as in take_place()
}

claim engine_core::claim_node(const plan& when) noexcept {
  claim made;
  made.problem = refusal();
  if (made.problem == errc{} && !is_possible(when)) made.problem = errc::invalid_option;
  if (made.problem != errc{}) return made;
  if (!take_place()) {
    made.problem = errc::capacity_exceeded;
    return made;
  }
  thread_record* record = threads_.mine();
  if (record == nullptr) record = &threads_.borrow_spare();
  node_index index = pool_.allocate(record->cache);
  if (index == alloc::no_slot) {
    threads_.give_back(*record);
    give_place_back();
    made.problem = errc::out_of_memory;
    return made;
  }
  node& owned = node_at(index);
  base::show_acquire(&owned);  // from the one that freed it, before the callable is made in there
  return {.owned = &owned, .record = record, .capture = owned.capture, .index = index};
}

void engine_core::abandon(const claim& owned) noexcept {
  give_place_back();
  base::show_release(owned.owned);
  pool_.free(owned.record->cache, owned.index);
  threads_.give_back(*owned.record);
}

timer engine_core::publish(const claim& owned, const callable_ops& ops, const plan& when, bool boxed) noexcept {
  timer handle = publish_owned(owned, ops, when, boxed);
  threads_.give_back(*owned.record);
  return handle;
}

// Gives an entry to the driver, and rings if it has to look before it would; for the one caller that inlines it.
inline void engine_core::push_entry(thread_record& record, std::uint64_t entry, nanoseconds_t deadline) noexcept {
  const bool pushed = queue_.push(*record.producer, entry);
  if (has_to_ring(bell_, rescan_, deadline, pushed)) [[unlikely]]
    ring_for_earlier(record, deadline);
  if (--record.until_report == 0) [[unlikely]] {
    record.until_report = report_every;
    report_pushes(record, report_every);
  }
}

void engine_core::submit(thread_record& record, std::uint64_t entry, nanoseconds_t deadline) noexcept {
  push_entry(record, entry, deadline);
}

// Gives a timer to the driver of another thread, `word` being queued; it is to be looked at by `time`.
inline timer engine_core::hand_in(thread_record& record, node_index index, node& made, std::uint64_t word,
                                  nanoseconds_t deadline, nanoseconds_t time) noexcept {
  record.hazard.raise();  // from here on the timer may fire, and its callback end the engine
  publish_as(made.pair, word, deadline);
  // The same bits for the handle and for the entry: an `arm` of this life.
  const std::uint64_t id = std::uint64_t{state_word::queued_half(state_word::generation(word))} << 32 | index;
  probes::schedule(this, index, word, deadline);
  push_entry(record, id, time);
  // Behind the fence of the push, which pairs with the one in begin_stop(). Either stop() finds the node, or this finds
  // the engine stopped; if both, one of them wins the transition.
  if (!life_.is_open()) [[unlikely]]
    return take_back(record, index, made, word);
  record.hazard.lower();
  return timer_access::make(this, id);
}

// What claim_node() and publish() do, for the case that nothing is out of the ordinary.
inline timer engine_core::schedule_packed(thread_record& record, nanoseconds_t deadline, const callable_ops& ops,
                                          std::uint64_t first, std::uint64_t second, std::uint64_t third) noexcept {
  node_index index = pool_.allocate(record.cache);
  node& made = node_at(index);
  write_capture(made.capture, first, second, third);
  made.ops = &ops;
  made.placement = 0;                                          // has run in no pass yet
  std::uint64_t was_free = made.pair.low.load(base::relaxed);  // relaxed: a free node's word changes by its owner only
  std::uint64_t order = record.next_order++ & state_word::order_mask;
  const std::uint64_t generation = was_free >> 32 << 32;  // the lower half of a free node's word means nothing
  std::uint64_t word = generation | order | state_word::field(timer_state::queued);
  record.counts.add(counter::scheduled);
  deadline = ticks_.round_up(deadline);
  return hand_in(record, index, made, word, deadline, deadline);
}

inline timer engine_core::schedule_packed_slowly(nanoseconds_t deadline, const callable_ops& ops, std::uint64_t first,
                                                 std::uint64_t second, std::uint64_t third) noexcept {
  if (captures_origin_) return timer_access::refusal(needs_origin);
  claim owned = claim_node({});
  if (owned.owned == nullptr) {
    probes::refuse_call(this, owned.problem);
    return timer_access::refusal(owned.problem);
  }
  write_capture(owned.capture, first, second, third);
  return publish(owned, ops, {.deadline = deadline}, false);
}

// What few timers have goes to the node's twin. Returns the flags that tell of it.
std::uint64_t engine_core::describe(node_index index, const plan& when, nanoseconds_t grid) noexcept {
  if (captures_origin_) note_origin(index, when.where);
  if (is_plain(when)) return 0;
  cold_node& cold = cold_at(index);
  std::uint64_t flags = state_word::cold | (base::is_watched_from_outside() ? state_word::owning : 0);
  cold.set_group(when.group);
  if (when.group != nullptr) {
    cold.set_epoch(when.group->epoch());
    cold.enrolled = false;
    flags |= state_word::owning;  // no short way: its end has to be told to the group
  }
  const label told = when.periodic != nullptr   ? when.periodic->label
                     : when.one_shot != nullptr ? when.one_shot->label
                                                : label();
  cold.set_label(labels_.number(told));
  if (label_block* block = labels_.find(cold)) {
    block->add(label_counter::scheduled);
    block->add(label_counter::begun);
    flags |= state_word::owning;  // as above
  }
  const std::uint8_t lane = when.periodic != nullptr   ? when.periodic->lane
                            : when.one_shot != nullptr ? when.one_shot->lane
                                                       : std::uint8_t{0};
  cold.set_lane(lane);
  // Relaxed, both: it only has the driver look among the entries.
  if (lane != 0 && !lanes_in_use_.load(base::relaxed)) lanes_in_use_.store(true, base::relaxed);
  cold_part& part = cold;
  if (when.kind != period_kind::none) {
    part = {.grid = grid,
            .period = when.period,
            .max_lateness = forever,
            .runs_left = when.periodic->runs,
            .kind = when.kind,
            .missed_policy = when.periodic->missed,
            .slack = when.periodic->slack.count()};
    return flags | state_word::periodic;
  }
  static constexpr timer_options defaults;
  const timer_options& options = when.one_shot != nullptr ? *when.one_shot : defaults;
  part = {.max_lateness = options.max_lateness.count(), .stale = options.stale, .slack = options.slack.count()};
  return flags;
}

timer engine_core::publish_owned(const claim& owned, const callable_ops& ops, const plan& when, bool boxed) noexcept {
  node& made = *owned.owned;
  thread_record& record = *owned.record;
  made.ops = &ops;
  made.placement = 0;  // has run in no pass yet
  nanoseconds_t grid = when.deadline, deadline = ticks_.round_up(grid);
  const nanoseconds_t earliest = deadline;
  if (when.group != nullptr) [[unlikely]] {
    grid = deadline = when.group->to_group_time(grid, time_);  // rounded when the group's time is the engine's again
    when.group->join();
  }
  const std::uint32_t order = record.next_order++ & state_word::order_mask;
  std::uint64_t flags = describe(owned.index, when, grid);
  if (ops.destroy != nullptr) flags |= state_word::owning;
  base::show_release(&made);
  std::uint64_t was_free = made.pair.low.load(base::relaxed);  // relaxed: a free node's word changes by its owner only
  timer_state state = record.driving ? timer_state::armed : timer_state::queued;
  std::uint64_t word = state_word::make(state_word::generation(was_free), order, state, flags);
  record.counts.add(counter::scheduled);
  if (boxed) record.counts.add(counter::boxed);
  if (recorder_ != nullptr) [[unlikely]]
    recorder_->scheduled(owned.index, state_word::generation(word), when.deadline, when.group);
  if (!record.driving) {
    const nanoseconds_t time = nodes_.filing_time(owned.index, word, deadline);
    // A paused group may be resumed at this moment: the driver looks at it by the earliest time there can be.
    return hand_in(record, owned.index, made, word, deadline, time == forever ? earliest : time);
  }
  publish_as(made.pair, word, deadline);
  probes::schedule(this, owned.index, word, deadline);
  file(owned.index, made);
  return timer_access::make(this, owned.index, state_word::generation(word));
}

[[gnu::noinline]] timer engine_core::take_back(thread_record& record, node_index index, node& made,
                                               std::uint64_t word) noexcept {
  const bool returned = collect(made.pair, word) == collect_result::returned;
  if (returned) return_timer(record, index, made, nullptr);
  record.hazard.lower();
  if (!returned) return timer_access::make(this, index, state_word::generation(word));
  probes::refuse_call(this, errc::stopped);
  return timer_access::refusal(errc::stopped);
}

[[gnu::noinline]] void engine_core::report_pushes(thread_record& record, std::uint64_t count) noexcept {
  if (!backlog_.add(count)) return;
  probes::ring(this, forever);
  after_ring(record, bell_.ring());
}

[[gnu::noinline]] void engine_core::ring_for_earlier(thread_record& record, nanoseconds_t deadline) noexcept {
  probes::ring(this, deadline);
  after_ring(record, bell_.ring_for_earlier(deadline));
}

void engine_core::after_ring(thread_record& record, doorbell::ring_result result) noexcept {
  if (result == doorbell::ring_result::rang_already) return;
  record.counts.add(counter::rings);
  if (result != doorbell::ring_result::needs_signal) return;
  call_hazard::scope in_use(record.hazard);  // end() closes no descriptor between the load of it and the signal
  base::full_fence();                        // (1) pairs with the one in end()
  wake_fd_.signal();
}

void engine_core::free_node(thread_record& record, node_index index, node& freed) noexcept {
  if (release(freed.pair)) {
    pool_.free(record.cache, index);
  } else {
    record.counts.add(counter::retired);
  }
}

namespace {

[[gnu::noinline]] timer schedule_packed_slowly(engine_core* core, nanoseconds_t deadline, const callable_ops& ops,
                                               std::uint64_t first, std::uint64_t second,
                                               std::uint64_t third) noexcept {
  if (core == nullptr) [[unlikely]]
    used_after_move("engine", "schedule_at");
  return core->schedule_packed_slowly(deadline, ops, first, second, third);
}

}  // namespace

// The most frequent call. Flattened, as the queue's push is ten instructions where nothing is out of the ordinary, but
// as a call saves six registers; what is rare is kept out. Nobody's shortcut is that of no engine.
[[gnu::flatten]] timer schedule_packed(engine_core* core, nanoseconds_t deadline, const callable_ops& ops,
                                       std::uint64_t first, std::uint64_t second, std::uint64_t third) noexcept {
  thread_record* record;
  if (!thread_registry::shortcut(core, shortcuts::some, record) || record->cache.empty_handed()) [[unlikely]]
    return schedule_packed_slowly(core, deadline, ops, first, second, third);
  return core->schedule_packed(*record, deadline, ops, first, second, third);
}

}  // namespace detent::detail
