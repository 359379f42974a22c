// SPDX-License-Identifier: MIT
// Firing: what has come due, in order; and one run of one timer, on whichever thread.
#include "engine_core.hpp"
#include "periodic.hpp"

#include <climits>
#include <cstdio>
#include <exception>

namespace detent::detail {
namespace {

constexpr std::size_t prefetch_distance = 6;

}  // namespace

// Fires or hands over what is due at `now`, at most `max_callbacks`; says how many.
std::size_t engine_core::fire_pass(nanoseconds_t now, std::size_t max_callbacks, bool polling) {
  pass_now_ = now;
  pass_stamp_ = (pass_stamp_ + 1) | first_pass_stamp;  // wraps to the first one
  polling_ = polling;
  // A million at once take a while, which the higher lanes do not wait for.
  if (wheel_.has_critical()) take_critical(now);
  wheel_.expire(now, [this](node_index index, node& filed) { return take_due(index, filed); });
  due_.seal({[](void* core) noexcept { static_cast<engine_core*>(core)->overtake(); }, this});
  // overtake() has been on: what its callbacks submitted may be just as critical.
  if (pass_now_ > now) [[unlikely]]
    drain_before_firing();
  if (!retries_.empty()) {
    retry_refused();
    if (polling) drain_submitted();  // what their runs have armed on other threads
  }
  const std::size_t fired = due_.empty() ? 0 : fire_due(now, max_callbacks);
  polling_ = false;
  return fired;
}

// What is in the due queue, and what comes to it meanwhile.
std::size_t engine_core::fire_due(nanoseconds_t now, std::size_t max_callbacks) noexcept {
  std::size_t fired = 0;
  const nanoseconds_t began = now;
  while (!due_.empty() || !batch_to_run_.empty()) {
    if (fired >= max_callbacks || stopped()) break;
    if (due_.empty()) {
      hand_over_batch();  // may run callbacks, which may arm something for this very pass
    } else if (fire_next(now)) {
      ++fired;
    }
    if (polling_) {
      drain_submitted();
      continue;
    }
    if (bell_.has_rung()) {
      answer_bell();
      drain_slice();
    }
    if (wheel_.has_critical()) take_critical(now);
    if (now - began >= options_.wake_budget.count()) break;
  }
  if (!batch_to_run_.empty()) hand_over_batch();
  return fired;
}

// What has come due in the higher lanes is the next to fire.
void engine_core::take_critical(nanoseconds_t now) noexcept {
  if (now < wheel_.critical_bound()) return;
  pass_now_ = std::max(pass_now_, now);
  wheel_.expire_critical(now, [this](node_index index, node& filed) { return take_out_due(index, filed); });
  due_.seal_higher();
}

// Fires what has come due in the higher lanes in the middle of a long step. Meanwhile what its callbacks schedule and
// cancel goes the way of other threads', as the wheel is in use.
void engine_core::overtake() noexcept {
  if (polling_ || !wheel_.has_critical()) return;
  nanoseconds_t now = time_.certain();
  if (now < wheel_.critical_bound()) return;
  threads_.set_driving(*driver_, false);
  take_critical(now);
  while (due_.has_higher() && !stopped()) fire_next(now);
  if (!batch_to_run_.empty()) hand_over_batch();
  threads_.set_driving(*driver_, true);
}

// The next of the due queue. `now` is the clock's last reading, and is read again after a run. False: nothing ran.
bool engine_core::fire_next(nanoseconds_t& now) noexcept {
  const due_entry due = due_.pop();
  if (const due_entry* ahead = due_.ahead(prefetch_distance)) __builtin_prefetch(&node_at(ahead->index), 1);
  node& next = node_at(due.index);
  if (!is_newest(due, next)) return false;
  next.location = nowhere;
  std::uint64_t word = observe(next.pair);
  for (;;) {
    if (state_word::state(word) == timer_state::cancelled) [[unlikely]] {
      drop_if_cancelled(due.index, next);
      return false;
    }
    DETENT_CHECK(state_word::state(word) == timer_state::armed);
    nanoseconds_t deadline = deadline_of(next.pair);
    if (state_word::order(word) != due.order ||
        nodes_.due_time(due.index, word, deadline) != due.deadline) {  // restarted since it came due
      if (!place_if_due(due.index, next, word, true))
        put_in_wheel(due.index, next, word, nodes_.filing_time(due.index, next));
      return false;
    }
    const bool cold = (word & state_word::cold) != 0;
    next.placement = pass_stamp_;  // not again in this pass, whoever re-arms it
    if (!runs_inline_) {
      if (cold && is_cancelled_in_group(due.index)) {
        cancel(due.index, state_word::generation(word), false);
        return false;
      }
      std::uint32_t count = ++hand_overs_ & state_word::order_mask;
      if (hand_over(next.pair, word, deadline, count) == transition::lost) continue;
      dispatch(due.index, word);
      // One by one in poll(): an executor may run each at once, and what that cancels or arms counts for the next.
      if (polling_) hand_over_batch();
      if (batch_to_run_.empty()) now = time_.certain();  // whatever the hand-over took
      return true;
    }
    group_run in_group;
    if (cold && !begin_in_group(in_group, due.index, word)) return false;
    const std::uint64_t armed = word;
    if (start_armed(next.pair, word, deadline) == transition::lost) continue;
    bool ran = run(*driver_, due.index, armed, now);
    now = time_.certain();
    return ran;
  }
}

// It is firing, and this thread's; `word` is what it fires by, as armed or handed over. `started` is a reading of the
// clock, not before the deadline. False: it was stale, and dropped.
bool engine_core::run(thread_record& record, node_index index, std::uint64_t word, nanoseconds_t started) noexcept {
  node& running = node_at(index);
  const bool periodic = (word & state_word::periodic) != 0;
  period_run stands_for{deadline_of(running.pair), 0};
  run_scope scope(this, index, state_word::generation(word));
  bool stale = false, used_up = false;
  if ((word & state_word::cold) != 0) {
    cold_node& cold = cold_at(index);
    // A group's member lives by the group's time; the run's is the engine's. No further behind than where it was due:
    // if the group is paused at this moment, its time stands still.
    const nanoseconds_t behind =
        std::min(behind_of_group(index), subtract_saturated(ticks_.round_down(started), stands_for.deadline));
    stands_for.deadline = ticks_.round_up(later_by(behind, stands_for.deadline));
    if (periodic) {
      cold.grid = later_by(behind, cold.grid);
      // Restarted since it was armed: the grid is anchored at the new deadline, even where that is the old one.
      if ((word & state_word::moved) != 0) cold.grid = stands_for.deadline;
      stands_for = begin_period(cold, stands_for.deadline, started, ticks_);
      cold.grid = earlier_by(behind, cold.grid);
      used_up = cold.runs_left != 0 && --cold.runs_left == 0;
      if (used_up) set_last(running.pair, word);
    } else if (subtract_saturated(started, stands_for.deadline) > cold.max_lateness) {
      if (cold.stale == stale_policy::drop) {
        if (recorder_ != nullptr) recorder_->ended(operation_kind::drop, index, state_word::generation(word), started);
        end_pending(index, word);
        end_timer(record, index, running, word, counter::dropped);
        return false;
      }
      stale = true;
    }
  }
  if (!periodic) {
    record.counts.add(counter::started_last);
    end_pending(index, word);
  }
  scope.describe(stands_for.deadline, started, stands_for.missed, stale);
  lateness_.record(subtract_saturated(started, stands_for.deadline), runs_inline_);
  record.counts.add(counter::fired);
  if (recorder_ != nullptr) [[unlikely]]
    recorder_->ended(operation_kind::fire, index, state_word::generation(word), started);
  invoke(record, running, scope);
  if ((scope.rearmed() || periodic) && !used_up && run_again(record, index, word, scope) == outcome::armed_again)
    return true;
  if (periodic) {
    record.counts.add(counter::started_last);
    end_pending(index, word);
  }
  // Relaxed: if this run ended the engine, by this very thread; else another did and counts for nobody any more.
  bool given_back = abandoned_.load(base::relaxed) && periodic;
  end_timer(record, index, running, word,
            used_up      ? counter::expired
            : given_back ? counter::returned
                         : counter::count_);
  return true;
}

void engine_core::invoke(thread_record& record, node& running, run_scope& scope) noexcept {
  try {
    running.ops->invoke(running.capture, scope.view());
  } catch (...) {
    record.counts.add(counter::failed);
    report(std::current_exception());
  }
}

void engine_core::report(std::exception_ptr failure) noexcept {
  try {
    if (options_.on_error) return options_.on_error(failure);
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "detent: engine \"%s\": a callback threw: %s\n", options_.name.c_str(), error.what());
  } catch (...) {
    std::fprintf(stderr, "detent: engine \"%s\": a callback threw\n", options_.name.c_str());
  }
}

// For the recording of what run_again() is about to try.
[[gnu::noinline, gnu::cold]] operation engine_core::note_arming(node_index index, std::uint64_t word,
                                                                const run_scope& scope, nanoseconds_t next,
                                                                nanoseconds_t behind) const noexcept {
  return {.deadline = ticks_.round_up(later_by(behind, next)),
          .id = recorder::id_of(index, state_word::generation(word)),
          .group = (word & state_word::cold) != 0 ? nodes_.group_of(index) : nullptr,
          .kind = scope.rearmed() ? operation_kind::rearm : operation_kind::period};
}

// The next arming of the same node: re-armed by its callback, or the next period.
engine_core::outcome engine_core::run_again(thread_record& record, node_index index, std::uint64_t word,
                                            run_scope& scope) noexcept {
  if (abandoned_.load(base::relaxed)) return outcome::ended;  // relaxed: as in run()
  node& running = node_at(index);
  const bool periodic = (word & state_word::periodic) != 0;
  const group_state* group = (word & state_word::cold) != 0 ? nodes_.group_of(index) : nullptr;
  const nanoseconds_t behind = group != nullptr ? group->behind(time_) : 0;
  const nanoseconds_t next = scope.rearmed() ? earlier_by(behind, scope.rearm_deadline())
                                             : next_period(cold_at(index), earlier_by(behind, time_.not_before_now()));
  const std::uint32_t order = record.next_order++ & state_word::order_mask;
  if (periodic && scope.rearmed()) cold_at(index).grid = next;
  if (!periodic) {  // pending once more, before anybody can cancel it; may exceed the capacity
    record.counts.add(counter::revived);
    if (options_.capacity != 0) places_taken_.fetch_add(1, base::relaxed);  // relaxed: as in take_place()
    if ((word & state_word::cold) != 0) rejoin_group(index);
  }
  const nanoseconds_t deadline = group == nullptr ? ticks_.round_up(next) : next;
  nanoseconds_t time = nodes_.filing_time(index, word, deadline);
  timer_state to = record.driving ? timer_state::armed : timer_state::queued;
  recorded_attempt recorded(recorder_.get(), [&] { return note_arming(index, word, scope, next, behind); });
  if (rearm(running.pair, word, to, deadline, order) == transition::lost) {
    if (!periodic) {
      record.counts.add(counter::started_last);
      end_pending(index, word);
    }
    return outcome::ended;
  }
  recorded.took_effect();
  if (to == timer_state::armed) {
    // Never into this pass: a timer runs at most once in it.
    put_in_wheel(index, running, word, time);
  } else {
    if (group != nullptr && time == forever) time = later_by(behind, next);  // as in publish_owned()
    submit(record, submission::make(submission::kind::arm, state_word::generation(word), index), time);
  }
  if ((word & state_word::waiter) != 0) wake_waiters();
  return outcome::armed_again;
}

// Counts before it lets go: whoever waited for this end finds the counts right. `category` count_: as the marks tell.
void engine_core::end_timer(thread_record& record, node_index index, node& running, std::uint64_t word,
                            counter category) noexcept {
  destroy_callable(*running.ops, running.capture);
  word = observe(running.pair);
  for (;;) {
    counter told = category != counter::count_      ? category
                   : (word & state_word::last) != 0 ? counter::cancelled_running
                                                    : counter::expired;
    record.counts.add(told);
    if (end_run(running.pair, word) == transition::done) break;
    record.counts.take_back(told);
  }
  if (state_word::used_up(word)) {
    record.counts.add(counter::retired);
  } else {
    pool_.free(record.cache, index);
  }
  if ((word & state_word::waiter) != 0) wake_waiters();
}

void engine_core::wake_waiters() noexcept {
  runs_ended_.fetch_add(1, base::release);  // (2) release: pairs with (1) in wait_for_run()
  base::futex_wake(runs_ended_, INT_MAX);
}

}  // namespace detent::detail
