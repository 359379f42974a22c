// SPDX-License-Identifier: MIT
// Many timers in one call: the engine's part.
#include <detent/base/compiler.hpp>
#include <detent/detail/bulk.hpp>
#include <detent/detail/stoppable.hpp>

#include "callers/scheduling.hpp"

#include <algorithm>

namespace detent::detail {
namespace {

// The handles' ids are the entries that the driver receives.
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

inline void fill(const bulk_filler& filler, packed_callable& words, void* capture, std::size_t number) noexcept {
  if (filler.fill != nullptr) return filler.fill(filler.context, capture, number);
  words.words[filler.index_word] = number;
  write_capture(capture, words.words[0], words.words[1], words.words[2]);
}

// In an engine that records: each has a row of its own, which is left out if it is refused.
DETENT_NOINLINE DETENT_COLD bulk_result schedule_each(engine_core& core, std::span<const time_point> deadlines,
                                                      const bulk_filler& filler, std::span<timer> out,
                                                      plan when) noexcept {
  packed_callable words = filler.words;
  bulk_result done;
  for (; done.scheduled < deadlines.size(); ++done.scheduled) {
    when.deadline = to_ns(deadlines[done.scheduled]);
    const claim owned = claim_node(core, when);
    if (owned.owned == nullptr) {
      const std::size_t others = deadlines.size() - done.scheduled - 1;  // that one is counted
      if (owned.problem == errc::capacity_exceeded && others != 0) count_over_capacity(core, others);
      return {done.scheduled, owned.problem};
    }
    fill(filler, words, owned.capture, done.scheduled);
    const timer made = publish(core, owned, filler.ops, when, false);
    if (!made) return {done.scheduled, timer_access::problem(made)};
    out[done.scheduled] = made;
  }
  return done;
}

// Makes them all; none is published yet unless the driver is the caller.
bulk_result make_many(engine_core& core, thread_record& mine, std::span<const time_point> deadlines,
                      const bulk_filler& filler, std::span<timer> out, const plan& when,
                      nanoseconds_t& earliest) noexcept {
  const timer_state state = mine.driving != nullptr ? timer_state::armed : timer_state::queued;
  const std::uint64_t owning = filler.ops.destroy != nullptr ? state_word::owning : 0;
  const bool plain = is_plain(core, when) && !core.captures_origin;
  packed_callable words = filler.words;
  core.seen.before_schedule(mine, deadlines.size());
  bulk_result done;
  for (; done.scheduled < deadlines.size(); ++done.scheduled) {
    if (!core.places.take()) [[unlikely]] {
      done.problem = errc::capacity_exceeded;
      break;
    }
    node_index index = core.pool.allocate(mine.cache);
    if (index == alloc::no_slot) [[unlikely]] {
      core.places.give_back();
      done.problem = errc::out_of_memory;
      break;
    }
    node& made = core.node_at(index);
    base::show_acquire(&made);
    fill(filler, words, made.capture, done.scheduled);
    made.ops = &filler.ops;
    made.placed = {};
    const nanoseconds_t deadline = core.ticks.round_up(to_ns(deadlines[done.scheduled]));
    const std::uint32_t order = mine.next_order++ & state_word::order_mask;
    const std::uint64_t flags = (plain ? 0 : describe(core, index, when, deadline)) | owning;
    const std::uint64_t was_free = made.pair.low.load(base::relaxed);  // relaxed: changes by its owner only
    const std::uint64_t word = state_word::make(state_word::generation(was_free), order, state, flags);
    base::show_release(&made);
    publish_as(made.pair, word, deadline);
    core.seen.scheduled(index, word, deadline);
    out[done.scheduled] = timer_access::make(&core, index, state_word::generation(word));
    earliest = std::min(earliest, plain ? deadline : core.nodes.filing_time(index, word, deadline));
    if (mine.driving != nullptr) mine.driving->insert(index, made);
  }
  if (const std::size_t left_out = deadlines.size() - done.scheduled; left_out != 0) [[unlikely]] {
    core.seen.refused(done.problem);
    mine.counts.take_back(counter::scheduled, left_out);
    if (done.problem == errc::capacity_exceeded) core.seen.over_capacity(mine, left_out);
  }
  return done;
}

// The engine has been stopped. Timers that neither stop() has returned nor the driver drained are taken back; the
// others count as scheduled. The driver may still be firing, and expects that no thread returns one of its own.
void take_back_many(engine_core& core, thread_record& mine, std::span<timer> made, bulk_result& done) noexcept {
  done = {0, errc::stopped};
  core.seen.refused(errc::stopped);
  for (timer& each : made) {
    node_index index = timer_access::index(each);
    node& scheduled = core.node_at(index);
    std::uint64_t word = observe(scheduled.pair);
    if (state_word::generation(word) == timer_access::generation(each) &&
        state_word::state(word) == timer_state::queued && collect(scheduled.pair, word) == collect_result::returned) {
      withdraw(core, mine, index, scheduled);
      each = {};
    } else {
      std::swap(made[done.scheduled++], each);
    }
  }
}

}  // namespace

bulk_result schedule_many(engine_core& core, std::span<const time_point> deadlines, const bulk_filler& filler,
                          std::span<timer> out, const timer_options& options, origin where) noexcept {
  const plan when{.one_shot = &options, .where = where};
  errc problem = core.refusal();
  if (problem == errc{} && !is_possible(core, when)) problem = errc::invalid_option;
  if (problem != errc{}) {
    core.seen.refused(problem);
    return {0, problem};
  }
  deadlines = deadlines.first(std::min(deadlines.size(), out.size()));
  const engine_hold until_done(core);  // the callback of one of them may end the engine
  if (core.seen.recording != nullptr) [[unlikely]]
    return schedule_each(core, deadlines, filler, out, when);
  record_lease mine(core.threads);
  nanoseconds_t earliest = forever;
  bulk_result done = make_many(core, *mine, deadlines, filler, out, when, earliest);
  if (mine->driving != nullptr || done.scheduled == 0) return done;
  core.in.push_many(*mine, entries_of(out.data()), done.scheduled, earliest, is_critical(when));
  if (!core.life.is_open()) [[unlikely]]  // as in submit_one(): after the fence of the push
    take_back_many(core, *mine, out.first(done.scheduled), done);
  return done;
}

}  // namespace detent::detail
