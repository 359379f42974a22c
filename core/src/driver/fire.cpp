// SPDX-License-Identifier: MIT
// Firing: what has come due, in order.
#include "engine/engine_core.hpp"

namespace detent::detail {
namespace {

constexpr std::size_t prefetch_distance = 6;
// A pass ends when what is critical has come into it so often: it may do so without end.
constexpr int most_interruptions = 64;

}  // namespace

// Fires or hands over what is due at `now`, at most `max_callbacks`; says how many.
std::size_t engine_core::fire_pass(nanoseconds_t now, std::size_t max_callbacks, bool polling) {
  pass_now_ = now;
  ledger_.split.looked(now);
  pass_stamp_ = next_pass(pass_stamp_);
  polling_ = polling;
  // A million at once take a while, which the higher lanes do not wait for.
  if (wheel_.has_critical()) take_critical(now);
  wheel_.expire(
      now, [this](node_index index, node& filed) { return take_due(index, filed); }, [this] { overtake(this); });
  due_.seal({overtake, this});
  // overtake() has been on: what it set aside comes before the rest of the queue, and the pass has what came due since.
  if (pass_now_ > now) [[unlikely]] {
    drain_before_firing();
    now = time_.certain();
    ledger_.split.looked_again(now);
  }
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
  int interruptions = 0;
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
      if (!set_aside_.empty()) overtake(this);  // what is critical does not wait for all that
      drain_slice();
    }
    if (wheel_.has_critical() && take_critical(now) && ++interruptions == most_interruptions) break;
    if (now - began >= options_.wake_budget.count()) break;
  }
  if (!batch_to_run_.empty()) hand_over_batch();
  return fired;
}

// What has come due in the higher lanes is the next to fire. False: nothing has.
bool engine_core::take_critical(nanoseconds_t now) noexcept {
  if (now < wheel_.critical_bound()) return false;
  pass_now_ = std::max(pass_now_, now);
  wheel_.expire_critical(now, [this](node_index index, node& filed) { return take_out_due(index, filed); });
  due_.seal_higher();
  return true;
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
      dispatch(due, word, ledger_.at_hand_over(due, now));
      // One by one in poll(): an executor may run each at once, and what that cancels or arms counts for the next.
      if (polling_) hand_over_batch();
      if (batch_to_run_.empty()) {
        now = time_.certain();  // whatever the hand-over took
        ledger_.split.looked_again(now);
      }
      return true;
    }
    group_run in_group;
    if (cold && !begin_in_group(in_group, due.index, word)) return false;
    const std::uint64_t armed = word;
    if (start_armed(next.pair, word, deadline) == transition::lost) continue;
    const bool ran = run(*driver_, due.index, armed, now, arrival(due.taken_up));
    ledger_.split.looked_again(now);
    return ran;
  }
}

}  // namespace detent::detail
