// SPDX-License-Identifier: MIT
#include "engine/driven_engine.hpp"

#include "callers/pending_list.hpp"

namespace detent::detail {
namespace {

// The parts before the whole, which so counts at least as much as each of them where a processor keeps the order of
// stores; elsewhere add_zeros() forgives what is missing.
template <class Histograms>
void snapshot_histograms(const Histograms& from, engine_metrics& found) {
  found.late_drain = from[cause::drain].snapshot();
  found.late_wait = from[cause::wait].snapshot();
  found.late_worker = from[cause::worker].snapshot();
  found.late_dispatch = from[cause::dispatch].snapshot();
  found.callback = from[cause::callback].snapshot();
  found.lateness = from[cause::lateness].snapshot();
  for (histogram* part : {&found.late_drain, &found.late_wait, &found.late_worker, &found.late_dispatch})
    histogram_recorder::add_zeros(*part, found.lateness);
}

// Ends are read before beginnings. Inline nothing is handed over.
std::uint64_t queued_of(const driven_engine& engine) noexcept {
  if (engine.runs_inline) return 0;
  const std::uint64_t let_go = engine.counts.read_let_go();
  const std::uint64_t fired = engine.threads.total(counter::fired);
  return engine.threads.total(counter::handed_over) - fired - let_go;
}

engine_metrics counts_of(const label_block& of) {
  engine_metrics found;
  found.scheduled = of.read(label_counter::scheduled);
  found.expired = of.read(label_counter::expired);
  found.cancelled = of.read(label_counter::cancelled);
  found.returned = of.read(label_counter::returned);
  found.dropped = of.read(label_counter::dropped);
  found.pending = of.pending();
  found.fired = of.read(label_counter::fired);
  found.failed = of.read(label_counter::failed);
  found.restarted = of.read(label_counter::restarted);
  found.missed = of.read(label_counter::missed);
  snapshot_histograms(of, found);
  return found;
}

clock_report report_of(const engine_core& core) noexcept {
  if (core.time.is_manual()) return {.name = "manual"};
  if (core.by.tsc == nullptr) return {.name = "steady", .reason = text_of(core.by.why)};
  const bool given_up = core.by.tsc->is_given_up();
  return {.name = given_up ? "steady" : "tsc",
          .reason = given_up ? text_of(clock_reason::given_up) : "",
          .distrusted = core.by.tsc->distrusted()};
}

}  // namespace

engine_metrics metrics_of(const driven_engine& engine) {
  const thread_registry& threads = engine.threads;
  engine_metrics found;
  found.expired = threads.total(counter::expired);
  found.cancelled = threads.total(counter::cancelled) + threads.total(counter::cancelled_running);
  found.returned = threads.total(counter::returned);
  found.dropped = threads.total(counter::dropped);
  found.pending = count_pending(engine);
  found.scheduled = threads.total(counter::scheduled);
  found.fired = threads.total(counter::fired);
  found.restarted = threads.total(counter::restarted);
  found.refused = threads.total(counter::refused);
  found.failed = threads.total(counter::failed);
  found.boxed = threads.total(counter::boxed);
  found.wakeups = engine.wakeups();
  found.drains = threads.total(counter::drains);
  found.drained = threads.total(counter::drained);
  found.rings = threads.total(counter::rings);
  found.backlog = threads.backlog();
  found.retired = threads.total(counter::retired);
  found.queued = queued_of(engine);
  found.slow = threads.total(counter::slow);
  found.missed = threads.total(counter::missed);
  found.over_capacity = threads.total(counter::over_capacity);
  snapshot_histograms(engine.counts, found);
  found.clock = report_of(engine);
  found.last_error = engine.counts.last_error_seen();
  engine.waiters.see_ends();  // by way of the counts of those that have ended
  return found;
}

engine_metrics metrics_of(const engine_core& core, const label& of) {
  const label_block* block = core.labels.has(of) ? core.labels.find(core.labels.number(of)) : nullptr;
  if (block == nullptr) return {};
  engine_metrics found = counts_of(*block);
  core.waiters.see_ends();  // as above
  return found;
}

}  // namespace detent::detail
