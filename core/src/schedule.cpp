// SPDX-License-Identifier: MIT
// Scheduling: from a free node to one that the driver will find.
#include "engine_core.hpp"

#include <new>

namespace detent::detail {
namespace {

// A thread tells its pushes in lots of so many, and the driver is woken once so many have been told: a ring costs
// thousands of nanoseconds, and a backlog of this size costs tens of kilobytes.
constexpr std::uint32_t report_every = 64;
constexpr std::uint64_t backlog_limit = 8192;

}  // namespace

errc engine_core::refusal() const noexcept {
  // Relaxed: a stop that comes later is met by the second look in publish().
  switch (lifecycle_.load(base::relaxed)) {
    case open_for_all: return errc{};
    case forked: return errc::forked;
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

claim engine_core::claim_node() noexcept {
  claim made;
  made.problem = refusal();
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
  return {.owned = &owned, .record = record, .capture = owned.capture, .index = index};
}

void engine_core::abandon(const claim& owned) noexcept {
  give_place_back();
  pool_.free(owned.record->cache, owned.index);
  threads_.give_back(*owned.record);
}

timer engine_core::publish(const claim& owned, const callable_ops& ops, const plan& when, bool boxed) noexcept {
  timer handle = publish_owned(owned, ops, when, boxed);
  threads_.give_back(*owned.record);
  return handle;
}

timer engine_core::publish_owned(const claim& owned, const callable_ops& ops, const plan& when, bool boxed) noexcept {
  node& made = *owned.owned;
  thread_record& record = *owned.record;
  made.ops = &ops;
  made.placement = 0;  // has run in no pass yet
  nanoseconds_t deadline = ticks_.round_up(when.deadline);
  const std::uint32_t order = record.next_order++ & state_word::order_mask;
  std::uint64_t flags = 0;
  if (when.kind != period_kind::none) {
    flags = state_word::periodic | state_word::cold;
    cold_at(owned.index) = {.grid = when.deadline,
                            .period = when.period,
                            .max_lateness = forever,
                            .runs_left = when.periodic->runs,
                            .order = order,
                            .kind = when.kind,
                            .missed_policy = when.periodic->missed};
  } else if (when.one_shot != nullptr && when.one_shot->max_lateness != (duration::max)()) {
    flags = state_word::cold;
    cold_at(owned.index) = {.max_lateness = when.one_shot->max_lateness.count(), .stale = when.one_shot->stale};
  }
  // Relaxed: a free node's word changes by its owner only.
  std::uint32_t generation = state_word::generation(made.pair.low.load(base::relaxed));
  timer_state state = record.driving ? timer_state::armed : timer_state::queued;
  std::uint64_t word = state_word::make(generation, order, state, flags);
  record.counts.add(counter::scheduled);
  if (boxed) record.counts.add(counter::boxed);
  publish_as(made.pair, word, deadline);
  if (record.driving) {
    file(owned.index, made);
    return timer_access::make(this, owned.index, generation);
  }
  submit(record, submission::make(submission::kind::arm, generation, owned.index), deadline);
  // Relaxed: behind the fence in submit(), which pairs with the one in begin_stop(). Either stop() finds the node, or
  // this finds the engine stopped; if both, one of them wins the transition.
  if (lifecycle_.load(base::relaxed) != open_for_all && collect(made.pair, word) == collect_result::returned) {
    return_timer(record, owned.index, made, nullptr);
    return {};
  }
  return timer_access::make(this, owned.index, generation);
}

void engine_core::submit(thread_record& record, std::uint64_t entry, nanoseconds_t deadline) noexcept {
  bool must_ring = false;
  if (!queue_.push(*record.producer, entry)) {
    rescan_.store(true, base::relaxed);  // relaxed: the fence and the ring below bring it across
    must_ring = true;
  }
  base::full_fence();  // (1) pairs with (7) and (8) of doorbell.hpp, and with the one in begin_stop()
  if (++record.unreported == report_every) {
    record.unreported = 0;
    report_pushes(record, report_every);
  }
  if (must_ring || bell_.earlier_than_wake(deadline)) ring(record);
}

void engine_core::report_pushes(thread_record& record, std::uint64_t count) noexcept {
  // Relaxed: a count; the driver is told by the ring.
  if (unreported_.fetch_add(count, base::relaxed) + count >= backlog_limit) ring(record);
}

void engine_core::ring(thread_record& record) noexcept {
  doorbell::ring_result result = bell_.ring();
  if (result == doorbell::ring_result::rang_already) return;
  record.counts.add(counter::rings);
  if (result == doorbell::ring_result::needs_signal) wake_fd_.signal();
}

void engine_core::free_node(thread_record& record, node_index index, node& freed) noexcept {
  if (release(freed.pair)) {
    pool_.free(record.cache, index);
  } else {
    record.counts.add(counter::retired);
  }
}

claim claim_node(engine_core& core) noexcept { return core.claim_node(); }
void abandon(engine_core& core, const claim& owned) noexcept { core.abandon(owned); }
timer publish(engine_core& core, const claim& owned, const callable_ops& ops, const plan& when, bool boxed) noexcept {
  return core.publish(owned, ops, when, boxed);
}

nanoseconds_t deadline_after(const engine_core& core, nanoseconds_t delay) noexcept {
  nanoseconds_t now = core.time().not_before_now();
  return delay <= 0 ? now : add_saturated(now, delay);
}

errc plan_periodic(const engine_core& core, duration initial, duration period, period_kind kind, plan& made) noexcept {
  if (period.count() <= 0) return errc::invalid_period;
  made.deadline = deadline_after(core, initial.count());
  made.period = period.count();
  made.kind = kind;
  return errc{};
}

void throw_schedule_error(const engine_core& core, errc problem, nanoseconds_t period) {
  const engine_options& options = core.options();
  std::string what = "engine \"" + options.name + "\"";
  if (problem == errc::capacity_exceeded) what += ": capacity = " + std::to_string(options.capacity);
  if (problem == errc::invalid_period) what += ": period = " + std::to_string(period) + " ns";
  throw error(make_error_code(problem), what);
}

}  // namespace detent::detail
