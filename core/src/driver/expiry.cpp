// SPDX-License-Identifier: MIT
#include "driver/expiry.hpp"

#include "callers/run.hpp"
#include "callers/run_steps.hpp"
#include "limits.hpp"

#include <algorithm>
#include <utility>

namespace detent::detail {

namespace {

// Also where the thread that polls ends in a callback.
struct pass_end {
  drive_state& of;
  ~pass_end() { of.polling = of.keeps_order = false; }
};

}  // namespace

std::size_t expiry::fire_pass(nanoseconds_t now, std::size_t max_callbacks, bool polling) {
  drive_.pass_now = now;
  drive_.split.looked(now);
  drive_.pass = drive_.pass.next_pass();
  drive_.polling = polling;
  drive_.keeps_order = polling && !intake_.is_drain_pending();
  const pass_end end{drive_};
  if (drive_.owes_entries) [[unlikely]]
    accept_what_came_before();
  collect_up_to(now);
  if (drive_.higher_now > now) [[unlikely]]
    catch_up(now);
  if (outbox_.may_have_retries()) [[unlikely]] {
    outbox_.retry();
    if (polling) intake_.drain_submitted();  // what their runs have armed on other threads
  }
  return agenda_.nothing_due() ? 0 : fire_due(now, max_callbacks);
}

bool expiry::keeps_order() const noexcept {
  // Relaxed: as in overtake(). Asked each time, as a callback may be the first to use a lane.
  return drive_.keeps_order || (core_.options.drive == drive_kind::worker && !core_.lanes_in_use.load(base::relaxed));
}

// Moves what is due into the due queue. A million at once take a while, and the higher lanes do not wait for that.
[[gnu::always_inline]] inline void expiry::collect_up_to(nanoseconds_t now) noexcept {
  if (agenda_.has_critical()) take_critical(now);
  agenda_.expire(
      now, [this](node_index index, node& filed) { return take_due(index, filed); }, between_);
  agenda_.seal(between_);
}

[[gnu::noinline]] void expiry::collect_more() noexcept { collect_up_to(drive_.pass_now); }

// What is in the due queue, and what comes to it meanwhile.
std::size_t expiry::fire_due(nanoseconds_t now, std::size_t max_callbacks) {
  std::size_t fired = 0;
  const nanoseconds_t began = now;
  interruptions_ = settled_ = 0;
  while (!agenda_.nothing_due() || !outbox_.empty()) {
    if (fired >= max_callbacks || core_.stopped()) break;
    if (agenda_.nothing_due()) {
      outbox_.flush();  // may run callbacks, which may arm something for this very pass
    } else if (agenda_.run_is_next() ? fire_of_run(now) : fire_next(now)) {
      ++fired;
    }
    if (drive_.polling) {
      intake_.drain_submitted();
      continue;
    }
    if (core_.in.bell.has_rung()) {
      intake_.answer_bell();
      if (entries_.has_set_aside()) stop_over(now);  // what is critical does not wait for all that
      intake_.drain_slice();
      // Relaxed: as in overtake(). No thread rings for what is due by the end of the pass.
    } else if (fired % limits::takes_between == 0 && core_.lanes_in_use.load(base::relaxed)) {
      stop_over(now);
    }
    if (interruptions_ > limits::interruptions) break;
    if (agenda_.has_critical() && (interruptions_ == limits::interruptions || take_critical(now))) ++interruptions_;
    if (now - began >= core_.options.wake_budget.count()) break;
  }
  if (!outbox_.empty()) outbox_.flush();
  return fired;
}

// What has come due in the higher lanes is the next to fire. False: nothing has, as far as this has to look.
bool expiry::take_critical(nanoseconds_t now) noexcept {
  if (now < agenda_.critical_bound()) return false;
  if (drive_.owes_entries && drive_.record->driving != nullptr) [[unlikely]]
    accept_critical_before();
  now = core_.time.confirm(now);
  drive_.higher_now = std::max(drive_.higher_now, now);
  agenda_.expire_critical();
  return agenda_.has_higher_due();
}

void expiry::await(nanoseconds_t until) noexcept {
  if (!core_.runs_straight || drive_.owes_entries || outbox_.may_have_retries()) return;
  awaited_ = agenda_.take_awaited(until);
  if (awaited_.timer == nullptr) return;
  drive_.pass = awaited_.timer->placed = drive_.pass.next_pass();
}

void expiry::give_up_awaited() noexcept {
  if (awaited_.timer == nullptr) return;
  agenda_.put_back(awaited_);
  awaited_.timer = nullptr;
}

bool expiry::fire_awaited(nanoseconds_t now) noexcept {
  if (awaited_.timer == nullptr) return false;
  std::uint64_t word = awaited_.word;
  if (start_armed(awaited_.timer->pair, word, awaited_.deadline) == transition::lost) [[unlikely]] {
    give_up_awaited();
    return false;
  }
  drive_.pass_now = now;
  drive_.split.looked(now);
  node& next = *std::exchange(awaited_.timer, nullptr);
  run_straight(core_, *drive_.record, {awaited_.index, next, awaited_.word, awaited_.deadline}, now,
               arrival(drive_.split, 0), end_reading::first);
  drive_.split.looked_again(now);
  return true;
}

// The next that is due, and of no run. `now` is the clock's last reading, and is read again after a run. False: nothing
// ran.
bool expiry::fire_next(nanoseconds_t& now) {
  const due_entry due = agenda_.pop();
  node& next = core_.node_at(due.index);
  if (!is_newest(due, next)) return false;
  next.location = nowhere;
  std::uint64_t word = observe(next.pair);
  for (;;) {
    if (state_word::state(word) == timer_state::cancelled) [[unlikely]] {
      agenda_.drop_if_cancelled(due.index, next);
      return false;
    }
    DETENT_CHECK(state_word::state(word) == timer_state::armed);
    const nanoseconds_t deadline = deadline_of(next.pair);
    if (!agenda_.is_as_collected(due, word, deadline)) [[unlikely]] {
      settle(due, next);
      return false;
    }
    const step done = fire_armed(due, next, word, deadline, now);
    if (done != step::again) return done == step::fired;
  }
}

// The next of the run.
[[gnu::noinline]] bool expiry::fire_of_run(nanoseconds_t& now) {
  const nanoseconds_t time = agenda_.runs().time();
  const node_index index = agenda_.runs().pop();
  node& next = core_.node_at(index);
  std::uint64_t word = observe(next.pair);
  for (;;) {
    if (state_word::state(word) == timer_state::cancelled) [[unlikely]] {
      agenda_.drop_if_cancelled(index, next);
      return false;
    }
    DETENT_CHECK(state_word::state(word) == timer_state::armed);
    if (!agenda_.is_as_filed(index, next, word, time)) [[unlikely]] {
      agenda_.place_again(index, next, word, agenda::entering::pass);
      return false;
    }
    const due_entry due{.deadline = time,
                        .order = state_word::order(word),
                        .index = index,
                        .taken_up = drive_.split.taken_up(next.placed, time)};
    const step done = fire_armed(due, next, word, deadline_of(next.pair), now);
    if (done != step::again) return done == step::fired;
  }
}

// Again: another thread has changed `word` meanwhile.
[[gnu::always_inline]] inline expiry::step expiry::fire_armed(const due_entry& due, node& next, std::uint64_t& word,
                                                              nanoseconds_t deadline, nanoseconds_t& now) {
  next.placed = drive_.pass;  // not again in this pass, whoever re-arms it
  if (core_.runs_straight && (word & state_word::cold) == 0) [[likely]] {
    const std::uint64_t armed = word;
    if (start_armed(next.pair, word, deadline) == transition::lost) [[unlikely]]
      return step::again;
    run_straight(core_, *drive_.record, {due.index, next, armed, deadline}, now, arrival(drive_.split, due.taken_up),
                 end_reading::last);
    drive_.split.looked_again(now);
    return step::fired;
  }
  // It came due at the end of time, and its group was paused since: its time is the same. Others have no such member.
  if (due.deadline == forever && !core_.nodes.is_due_by(forever, due.index, word, forever)) [[unlikely]] {
    agenda_.place_again(due.index, next, word, agenda::entering::pass);
    return step::nothing;
  }
  if (core_.runs_straight && (word & state_word::periodic) != 0) return fire_period(due, next, word, deadline, now);
  return core_.runs_inline ? fire_inline(due, next, word, deadline, now) : hand_over(due, next, word, deadline, now);
}

// Periodic, in an engine that runs_straight.
expiry::step expiry::fire_period(const due_entry& due, node& next, std::uint64_t& word, nanoseconds_t deadline,
                                 nanoseconds_t& now) {
  if (!has_plain_period(core_, due.index)) return fire_inline(due, next, word, deadline, now);
  group_run in_group;
  if (!begin_in_group(core_, in_group, due.index, word)) return step::nothing;
  const std::uint64_t armed = word;
  if (start_armed(next.pair, word, deadline) == transition::lost) [[unlikely]]
    return step::again;
  run_period(core_, *drive_.record, {due.index, next, armed, due.deadline}, now, arrival(drive_.split, due.taken_up),
             [this](node_index index, node& again) { agenda_.insert_again(index, again, keeps_order()); });
  drive_.split.looked_again(now);
  return step::fired;
}

// In any other engine, or with a cold part.
expiry::step expiry::fire_inline(const due_entry& due, node& next, std::uint64_t& word, nanoseconds_t deadline,
                                 nanoseconds_t& now) {
  now = std::max(now, drive_.higher_now);  // a higher lane's may be due by that
  group_run in_group;
  if ((word & state_word::cold) != 0 && !begin_in_group(core_, in_group, due.index, word)) return step::nothing;
  const std::uint64_t armed = word;
  if (start_armed(next.pair, word, deadline) == transition::lost) return step::again;
  const bool ran = run(core_, *drive_.record, due.index, armed, now, arrival(drive_.split, due.taken_up));
  drive_.split.looked_again(now);
  return ran ? step::fired : step::nothing;
}

expiry::step expiry::hand_over(const due_entry& due, node& next, std::uint64_t& word, nanoseconds_t deadline,
                               nanoseconds_t& now) noexcept {
  now = std::max(now, drive_.higher_now);  // as above
  if ((word & state_word::cold) != 0) {
    if (is_cancelled_in_group(core_, due.index)) {
      cancel(core_, due.index, state_word::generation(word), false);
      return step::nothing;
    }
    group_state* const group = core_.nodes.group_of(due.index);
    if (group != nullptr && !group->is_in_order()) {  // it may overtake others
      groups_.sweep_soon(*group);
      agenda_.insert_again(due.index, next, false);
      return step::nothing;
    }
    // Too stale already: no executor is to hear of it, and it is dropped here.
    const cold_node& cold = core_.cold_at(due.index);
    if ((word & state_word::periodic) == 0 && cold.stale == stale_policy::drop &&
        subtract_saturated(now, due.deadline) > cold.max_lateness) [[unlikely]]
      return fire_inline(due, next, word, deadline, now);
    next.previous = due.order;  // for a recall
  }
  const std::uint32_t count = ++hand_overs_ & state_word::order_mask;
  if (detail::hand_over(next.pair, word, deadline, count) == transition::lost) return step::again;
  outbox_.add(due, word, late_at_hand_over(due, now));
  // One by one in poll(): an executor may run each at once, and what that cancels or arms counts for the next.
  if (drive_.polling) outbox_.flush();
  if (outbox_.empty()) {
    now = core_.time.certain();  // whatever the hand-over took
    drive_.split.looked_again(now);
  }
  return step::fired;
}

// Nothing is counted until it starts.
lateness_parts expiry::late_at_hand_over(const due_entry& due, nanoseconds_t now) const noexcept {
  if constexpr (!base::counts_causes) return {};
  return drive_.split.split(due.deadline, std::max<nanoseconds_t>(subtract_saturated(now, due.deadline), 0),
                            due.taken_up);
}

// For the wheel's expire(), which has taken the node out.
bool expiry::take_due(node_index index, node& filed) noexcept {
  // Relaxed: as in overtake().
  if (core_.lanes_in_use.load(base::relaxed) && ++taken_ % limits::takes_between == 0) [[unlikely]]
    return take_due_after_interlude(index, filed);
  return agenda_.take_out(index, filed, drive_.pass_now);
}

}  // namespace detent::detail
