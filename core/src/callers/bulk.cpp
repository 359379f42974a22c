// SPDX-License-Identifier: MIT
// Many timers in one call: the engine's part.
#include <detent/detail/bulk.hpp>
#include <detent/detail/stoppable.hpp>

#include "engine/engine_core.hpp"
#include "observe/probes.hpp"

#include <algorithm>

namespace detent::detail {
namespace {

// The handles' ids are the entries that tell the driver of them.
class entries_of {
 public:
  explicit entries_of(const timer* first) noexcept : at_(first) {}
  std::uint64_t operator*() const noexcept { return timer_access::id(*at_); }
  entries_of& operator++() noexcept {
    ++at_;
    return *this;
  }
  entries_of operator++(int) noexcept { return entries_of(at_++); }
  entries_of& operator+=(std::size_t count) noexcept {
    at_ += count;
    return *this;
  }

 private:
  const timer* at_;
};

}  // namespace

// One publication for them all.
template <class Entries>
void engine_core::push_entries(thread_record& record, Entries first, std::size_t count, nanoseconds_t time) noexcept {
  const bool pushed = queue_.push_many(*record.producer, first, count);
  if (has_to_ring(bell_, rescan_, time, pushed)) ring_for_earlier(record, time);
  if (count < record.until_report) {
    record.until_report -= static_cast<std::uint32_t>(count);
  } else {
    const std::size_t unreported = report_every - std::exchange(record.until_report, report_every);
    report_pushes(record, unreported + count);
  }
}

// Makes them all; nobody is told of them yet unless the driver is the caller.
bulk_result engine_core::make_many(thread_record& record, std::span<const time_point> deadlines,
                                   const bulk_filler& filler, std::span<timer> out, const plan& when,
                                   nanoseconds_t& earliest) noexcept {
  const timer_state state = record.driving ? timer_state::armed : timer_state::queued;
  const std::uint64_t owning = filler.ops.destroy != nullptr ? state_word::owning : 0;
  const bool limited = options_.capacity != 0, plain = is_plain(when) && !captures_origin_;
  packed_callable words = filler.words;
  bulk_result done;
  for (; done.scheduled < deadlines.size(); ++done.scheduled) {
    if (limited && !take_place()) [[unlikely]] {
      done.problem = errc::capacity_exceeded;
      break;
    }
    node_index index = pool_.allocate(record.cache);
    if (index == alloc::no_slot) [[unlikely]] {
      give_place_back();
      done.problem = errc::out_of_memory;
      break;
    }
    node& made = node_at(index);
    base::show_acquire(&made);
    if (filler.fill != nullptr) {
      filler.fill(filler.context, made.capture, done.scheduled);
    } else {
      words.words[filler.index_word] = done.scheduled;
      write_capture(made.capture, words.words[0], words.words[1], words.words[2]);
    }
    made.ops = &filler.ops;
    made.placement = 0;  // has run in no pass yet
    const nanoseconds_t deadline = ticks_.round_up(to_ns(deadlines[done.scheduled]));
    const std::uint32_t order = record.next_order++ & state_word::order_mask;
    const std::uint64_t flags = (plain ? 0 : describe(index, when, deadline)) | owning;
    const std::uint64_t was_free = made.pair.low.load(base::relaxed);  // relaxed: changes by its owner only
    const std::uint64_t word = state_word::make(state_word::generation(was_free), order, state, flags);
    if (recorder_ != nullptr) [[unlikely]]
      recorder_->scheduled(index, state_word::generation(word), deadline, nullptr);
    base::show_release(&made);
    publish_as(made.pair, word, deadline);
    probes::schedule(this, index, word, deadline);
    out[done.scheduled] = timer_access::make(this, index, state_word::generation(word));
    earliest = std::min(earliest, plain ? deadline : nodes_.filing_time(index, word, deadline));
    if (record.driving) file(index, made);
  }
  if (done.problem != errc{}) [[unlikely]]
    probes::refuse_call(this, done.problem);
  record.counts.add(counter::scheduled, done.scheduled);
  return done;
}

bulk_result engine_core::schedule_many(std::span<const time_point> deadlines, const bulk_filler& filler,
                                       std::span<timer> out, const timer_options& options, origin where) noexcept {
  const plan when{.one_shot = &options, .where = where};
  errc problem = refusal();
  if (problem == errc{} && !is_possible(when)) problem = errc::invalid_option;
  if (problem != errc{}) {
    probes::refuse_call(this, problem);
    return {0, problem};
  }
  deadlines = deadlines.first(std::min(deadlines.size(), out.size()));
  const engine_hold until_done(*this);  // the callback of one of them may end the engine
  record_lease record(threads_);
  nanoseconds_t earliest = forever;
  bulk_result done = make_many(*record, deadlines, filler, out, when, earliest);
  if (record->driving || done.scheduled == 0) return done;
  push_entries(*record, entries_of(out.data()), done.scheduled, earliest);
  if (!life_.is_open()) [[unlikely]]  // as in hand_in(): behind the fence of the push
    take_back_many(*record, out.first(done.scheduled), done);
  return done;
}

// The engine was stopped meanwhile. What neither stop() has returned nor the driver taken up is taken back; the others
// count as scheduled. The driver may still be firing, and expects none of its own to be returned by anybody.
void engine_core::take_back_many(thread_record& record, std::span<timer> made, bulk_result& done) noexcept {
  done = {0, errc::stopped};
  probes::refuse_call(this, errc::stopped);
  for (timer& each : made) {
    node_index index = timer_access::index(each);
    node& scheduled = node_at(index);
    std::uint64_t word = observe(scheduled.pair);
    if (state_word::generation(word) == timer_access::generation(each) &&
        state_word::state(word) == timer_state::queued && collect(scheduled.pair, word) == collect_result::returned) {
      return_timer(record, index, scheduled, nullptr);
      each = {};
    } else {
      std::swap(made[done.scheduled++], each);
    }
  }
}

void engine_core::push_reaps(thread_record& record) noexcept {
  reap_batch& batch = *record.reaps;
  if (batch.count != 0) push_entries(record, batch.entries.data(), std::exchange(batch.count, 0), forever);
}

void engine_core::add_reap(thread_record& record, std::uint64_t entry) noexcept {
  record.reaps->entries[record.reaps->count++] = entry;
  if (record.reaps->count == record.reaps->entries.size()) push_reaps(record);
}

std::size_t cancel_many(engine_core& core, std::span<const timer> timers) noexcept { return core.cancel_many(timers); }

bulk_result schedule_many(engine_core& core, std::span<const time_point> deadlines, const bulk_filler& filler,
                          std::span<timer> out, const timer_options& options, origin where) noexcept {
  return core.schedule_many(deadlines, filler, out, options, where);
}

}  // namespace detent::detail
