// SPDX-License-Identifier: MIT
// Timer groups: what the engine does for their members, and the driver's work on all of them at once.
#include <detent/detail/stoppable.hpp>

#include "engine/engine_core.hpp"

namespace detent::detail {

// --- Any thread

// A timer with a twin is no longer pending, or pending once more.
void engine_core::leave(node_index index) noexcept {
  if (label_block* label = labels_.find(cold_at(index))) label->add(label_counter::over);
  group_state* const group = nodes_.group_of(index);
  if (group == nullptr || !groups_.leave(*group)) return;
  record_lease record(threads_);
  after_ring(*record, bell_.ring());
}

void engine_core::rejoin(node_index index) noexcept {
  if (label_block* label = labels_.find(cold_at(index))) label->add(label_counter::begun);
  if (group_state* group = nodes_.group_of(index)) group->join();  // its run holds a reference
}

bool engine_core::is_cancelled_in_group(node_index index) const noexcept {
  const group_state* group = nodes_.group_of(index);
  return group != nullptr && group->is_cancelled(cold_at(index).epoch());
}

nanoseconds_t engine_core::behind_of_group(node_index index) const noexcept {
  const group_state* group = nodes_.group_of(index);
  return group == nullptr ? 0 : group->behind(time_);
}

// Before a start. False: the group has cancelled the timer, and now this has ended it.
bool engine_core::begin_in_group(group_run& run, node_index index, std::uint64_t word) noexcept {
  group_state* group = nodes_.group_of(index);
  if (group == nullptr || run.begin(*group, cold_at(index).epoch(), groups_)) return true;
  cancel(index, state_word::generation(word), false);
  return false;
}

// A handed-over timer whose group is paused goes back to the driver as it is; unless a restart or a cancel was faster,
// which must hold. It gets back the order that it was armed with, and so its place among equals.
void engine_core::put_back(node_index index, std::uint64_t word, std::uint32_t order) noexcept {
  node& paused = node_at(index);
  const std::uint64_t handed_over = word;
  if (!exchange_word(paused.pair, word, state_word::requeued(handed_over, order))) return;
  record_lease record(threads_);
  submit(*record, submission::make(submission::kind::arm, state_word::generation(handed_over), index), forever);
  // Its slack must not be asked for: it may have been taken up, have ended, and be another timer's by now.
  ring_if_resumed([&] { return nodes_.due_time(index, handed_over, deadline_of(paused.pair)); },
                  [&](nanoseconds_t time) { ring_for_earlier(*record, time); });
}

void engine_core::cancel_group(group_state& group) noexcept {
  group.begin_epoch();
  attend_to(group);
}

// Once the engine has stopped, neither has an effect; and a manual clock may be gone then.
void engine_core::pause_group(group_state& group) noexcept {
  if (stopped()) return;
  if (group.pause(time_) && recorder_ != nullptr) recorder_->turned(operation_kind::pause, &group);
}

void engine_core::resume_group(group_state& group) noexcept {
  if (stopped()) return;
  // Once it goes on, a member may fire, and its callback end the group and the engine.
  const engine_hold until_done(*this);
  group.add_reference();
  if (group.resume(time_)) {
    if (recorder_ != nullptr) recorder_->turned(operation_kind::resume, &group);
    attend_to(group);
  }
  groups_.drop_reference(group);
}

// What ~timer_group does. In the child of a fork nothing can be taken apart.
void engine_core::end_group(group_state& group) noexcept {
  if (is_forked()) return;
  if (recorder_ != nullptr && !stopped()) recorder_->turned(operation_kind::forget, &group);
  cancel_group(group);
  wait_for_group(group);
  groups_.drop_reference(group);
  drop_reference();
}

// Has the driver look at all members soon.
void engine_core::attend_to(group_state& group) noexcept {
  groups_.request(group);
  record_lease record(threads_);
  after_ring(*record, bell_.ring());
}

// Also for what was running when the group was cancelled; the calling thread's own runs go on.
void engine_core::wait_for_group(group_state& group) noexcept {
  if (is_forked()) return;  // nobody runs anything here
  std::array<std::uint32_t, 2> own{};
  run_scope::for_each_inside(*this, [&](node_index index) {
    const bool cold = (observe(node_at(index).pair) & state_word::cold) != 0;
    if (cold && nodes_.group_of(index) == &group) ++own[cold_at(index).epoch() & 1];
  });
  group.wait_for_runs(own);
}

// --- The driver

// A member is filed for the first time, or again. Another thread may just be cancelling it, and with it may go the last
// reference to its group.
void engine_core::enrol(node_index index, std::uint64_t word) noexcept {
  cold_node& cold = cold_at(index);
  group_state& group = *nodes_.group_of(index);
  const bool cancelled = is_cancelled_in_group(index);
  if ((cold.enrolled && !cancelled) || !group.hold()) return;
  if (!cold.enrolled) {
    cold.enrolled = true;
    auto is_alive = [this](const group_roster::entry& each) {
      return state_word::generation(observe(node_at(each.index).pair)) == each.generation;
    };
    // Without memory for it, a sweep goes through all nodes, from the first on.
    if (!group.roster.add({index, state_word::generation(word)}, is_alive, groups_.rosters()) && swept_ == &group)
      sweep_at_ = 0;
  }
  if (cancelled) groups_.request(group);
  groups_.drop_reference(group);
}

// Looks at the members of the groups that asked for it, at most at so many.
void engine_core::sweep_groups(std::size_t most) noexcept {
  for (groups_.begin_answer(); !stopped();) {
    if (swept_ == nullptr) {
      if (to_sweep_ == nullptr) to_sweep_ = groups_.take_requests();
      if (to_sweep_ == nullptr) return;
      swept_ = std::exchange(to_sweep_, to_sweep_->next);
      swept_->answer();
      debt_.owe();  // members that are not filed yet are told apart then
      swept_->roster.begin_walk();
      sweep_at_ = 0;
    }
    if (!sweep(*swept_, most)) return groups_.ask_again();
    swept_->roster.end_walk();
    groups_.drop_reference(*std::exchange(swept_, nullptr));
  }
}

// False: there is more.
bool engine_core::sweep(group_state& group, std::size_t& most) noexcept {
  for (;;) {
    // Where memory for the roster ran out, all nodes there are; then the roster all the same, for the sake of who left.
    const bool by_roster = group.roster.complete() || sweep_at_ >= pool_.carved();
    if (by_roster && group.roster.is_through()) return true;
    if (most == 0 || stopped()) return false;
    --most;
    const group_roster::entry named = by_roster ? group.roster.step() : group_roster::entry{sweep_at_++, 0};
    const std::uint64_t word = observe(node_at(named.index).pair);
    bool has_left = by_roster && state_word::generation(word) != named.generation;
    // A free node's twin may just be described for its next life.
    const bool described = (word & state_word::cold) != 0 && state_word::state(word) != timer_state::free;
    if (!has_left && described && nodes_.group_of(named.index) == &group)
      has_left = sweep_one(group, named.index, word);
    if (by_roster && has_left) group.roster.drop(groups_.rosters());
  }
}

// Cancels a member, or re-inserts it, as its group's time may have gone on. True: it is none any more.
bool engine_core::sweep_one(group_state& group, node_index index, std::uint64_t word) noexcept {
  if (group.is_cancelled(cold_at(index).epoch()))
    return cancel(index, state_word::generation(word), false) != cancel_result::running;
  node& member = node_at(index);
  if (state_word::state(word) != timer_state::armed || member.location >= in_due_queue) return false;
  wheel_.unlink(member);
  put_in_wheel(index, member, word, nodes_.filing_time(index, member));
  return false;
}

}  // namespace detent::detail
