// SPDX-License-Identifier: MIT
#include "engine/engine_core.hpp"

namespace detent::detail {
namespace {

// The parts before the whole, which so counts at least as much as each of them where a processor keeps the order of
// stores; elsewhere add_zeros() forgives what is missing.
template <class Histograms>
void snapshot_histograms(const Histograms& from, engine_metrics& told) {
  told.late_drain = from[cause::drain].snapshot();
  told.late_wait = from[cause::wait].snapshot();
  told.late_worker = from[cause::worker].snapshot();
  told.late_dispatch = from[cause::dispatch].snapshot();
  told.callback = from[cause::callback].snapshot();
  told.lateness = from[cause::lateness].snapshot();
  for (histogram* part : {&told.late_drain, &told.late_wait, &told.late_worker, &told.late_dispatch})
    histogram_recorder::add_zeros(*part, told.lateness);
}

engine_metrics metrics_of(const label_block& of) {
  engine_metrics told;
  told.scheduled = of.read(label_counter::scheduled);
  told.expired = of.read(label_counter::expired);
  told.cancelled = of.read(label_counter::cancelled);
  told.returned = of.read(label_counter::returned);
  told.dropped = of.read(label_counter::dropped);
  told.pending = of.pending();
  told.fired = of.read(label_counter::fired);
  told.failed = of.read(label_counter::failed);
  told.restarted = of.read(label_counter::restarted);
  told.missed = of.read(label_counter::missed);
  snapshot_histograms(of, told);
  return told;
}

}  // namespace

// Ends are read before beginnings, so that no timer is counted as ended but not as begun.
std::size_t engine_core::pending() const noexcept {
  std::uint64_t ends = threads_.total(counter::cancelled) + threads_.total(counter::returned) +
                       threads_.total(counter::dropped) + threads_.total(counter::started_last);
  std::uint64_t beginnings = threads_.total(counter::scheduled) + threads_.total(counter::revived);
  return static_cast<std::size_t>(beginnings - ends);
}

engine_metrics engine_core::metrics() const {
  engine_metrics told;
  told.expired = threads_.total(counter::expired);
  told.cancelled = threads_.total(counter::cancelled) + threads_.total(counter::cancelled_running);
  told.returned = threads_.total(counter::returned);
  told.dropped = threads_.total(counter::dropped);
  told.pending = pending();
  told.scheduled = threads_.total(counter::scheduled);
  told.fired = threads_.total(counter::fired);
  told.restarted = threads_.total(counter::restarted);
  told.refused = threads_.total(counter::refused);
  told.failed = threads_.total(counter::failed);
  told.boxed = threads_.total(counter::boxed);
  told.wakeups = waiter_.wakeups();
  told.drains = threads_.total(counter::drains);
  told.drained = threads_.total(counter::drained);
  told.rings = threads_.total(counter::rings);
  told.backlog = queue_.size_approx();
  told.retired = threads_.total(counter::retired);
  told.slow = threads_.total(counter::slow);
  told.missed = threads_.total(counter::missed);
  snapshot_histograms(counts_, told);
  runs_.see_ends();  // by way of the counts of those that have ended
  return told;
}

// Of a label of another engine, or none: of nothing.
engine_metrics engine_core::metrics(const label& of) const {
  const label_block* block = labels_.has(of) ? labels_.find(labels_.number(of)) : nullptr;
  if (block == nullptr) return {};
  engine_metrics told = metrics_of(*block);
  runs_.see_ends();  // as above
  return told;
}

}  // namespace detent::detail
