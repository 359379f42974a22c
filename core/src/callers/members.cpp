// SPDX-License-Identifier: MIT
#include "callers/members.hpp"

#include <detent/detail/stoppable.hpp>

#include "callers/cancel.hpp"
#include "timer/run_scope.hpp"

namespace detent::detail {
namespace {

// Has the driver scan all members soon.
void request_sweep(engine_core& core, group_state& group) noexcept {
  core.groups.request(group);
  record_lease mine(core.threads);
  core.in.ring(*mine);
}

}  // namespace

void leave(engine_core& core, node_index index) noexcept {
  core.seen.over(core.labels.find(core.cold_at(index)));
  group_state* const group = core.nodes.group_of(index);
  if (group == nullptr || !core.groups.leave(*group)) return;
  record_lease mine(core.threads);
  core.in.ring(*mine);
}

void rejoin(engine_core& core, node_index index) noexcept {
  core.seen.begun(core.labels.find(core.cold_at(index)));
  if (group_state* group = core.nodes.group_of(index)) group->join();  // its run holds a reference
}

bool is_cancelled_in_group(const engine_core& core, node_index index) noexcept {
  const group_state* group = core.nodes.group_of(index);
  return group != nullptr && group->is_cancelled(core.cold_at(index).epoch());
}

bool comes_from_cancelled_run(const group_state& group) noexcept {
  bool found = false;
  run_scope::for_each([&](const engine_core& core, node_index index) {
    const bool cold = (observe(core.node_at(index).pair) & state_word::cold) != 0;
    const group_state* const of = cold ? core.nodes.group_of(index) : nullptr;
    found |= of != nullptr && of->head == group.head && of->is_cancelled(core.cold_at(index).epoch());
  });
  return found;
}

group_offset offset_of_group(const engine_core& core, node_index index) noexcept {
  const group_state* group = core.nodes.group_of(index);
  return group == nullptr ? group_offset{} : group->offset(core.time);
}

bool begin_in_group(engine_core& core, group_run& run, node_index index, std::uint64_t word) noexcept {
  group_state* group = core.nodes.group_of(index);
  if (group == nullptr || run.begin(*group, core.cold_at(index).epoch(), core.groups)) return true;
  cancel(core, index, state_word::generation(word), false);
  return false;
}

// A timer that was cancelled or restarted since the hand-over has no turn, and does not go back.
bool goes_back(const engine_core& core, node_index index, std::uint64_t word) noexcept {
  if ((word & state_word::cold) == 0) return false;
  const group_state* const group = core.nodes.group_of(index);
  return group != nullptr && group->takes_back() && !group->is_cancelled(core.cold_at(index).epoch()) &&
         observe(core.node_at(index).pair) == word;
}

void put_back(engine_core& core, node_index index, std::uint64_t word, std::uint32_t order) noexcept {
  group_state* const group = core.nodes.group_of(index);
  // The group is scattered before its member goes back, as members behind it must not overtake it. The node may be a
  // later timer's by now, of another group or of one that has no reference left.
  if (group != nullptr && group->hold()) {
    if (!group->is_scattered()) {
      group->scatter();
      core.groups.request(*group);  // without a ring: no member can start before the resumption, which rings
    }
    core.groups.drop_reference(*group);
  }
  node& paused = core.node_at(index);
  const bool is_critical = core.cold_at(index).is_critical();
  const std::uint64_t handed_over = word;
  if (!exchange_word(paused.pair, word, state_word::requeued(handed_over, order))) return;
  record_lease mine(core.threads);
  submit_either(core, *mine, submission::make(submission::kind::arm, state_word::generation(handed_over), index),
                forever, is_critical);
  // The timer's slack must not be read: it may have been drained, have ended, and be another timer's by now.
  ring_if_resumed([&] { return core.nodes.due_time(index, handed_over, deadline_of(paused.pair)); },
                  [&](nanoseconds_t time) { core.in.ring_for_earlier(*mine, time); });
}

void cancel_group(engine_core& core, group_state& group) noexcept {
  group.begin_epoch();
  request_sweep(core, group);
}

void pause_group(engine_core& core, group_state& group) noexcept {
  if (core.stopped()) return;
  if (group.pause(core.time)) core.seen.record_turn(operation_kind::pause, &group);
}

void resume_group(engine_core& core, group_state& group) noexcept {
  if (core.stopped()) return;
  // Once it goes on, a member may fire, and its callback end the group and the engine.
  const engine_hold until_done(core);
  group.add_reference();
  if (group.resume(core.time)) {
    core.seen.record_turn(operation_kind::resume, &group);
    request_sweep(core, group);
  }
  core.groups.drop_reference(group);
}

void begin_awaited_cancel(engine_core& core, group_state& group) noexcept {
  group.begin_awaited_cancel();
  request_sweep(core, group);
}

void begin_end_of_group(engine_core& core, group_state& group) noexcept {
  if (core.is_forked() || !group.end()) return;
  if (!core.stopped()) core.seen.record_turn(operation_kind::forget, &group);
  request_sweep(core, group);
}

void end_group(engine_core& core, group_state& group) noexcept {
  if (core.is_forked()) return;
  begin_end_of_group(core, group);
  wait_for_group(core, group);
  core.groups.drop_reference(group);
  core.drop_reference();
}

void wait_for_group(engine_core& core, group_state& group) noexcept {
  if (core.is_forked()) return;  // no thread runs anything here
  std::array<std::uint32_t, 2> own{};
  run_scope::for_each([&](const engine_core& of, node_index index) {
    const bool cold = &of == &core && (observe(core.node_at(index).pair) & state_word::cold) != 0;
    if (cold && core.nodes.group_of(index) == &group) ++own[core.cold_at(index).epoch() & 1];
  });
  group.wait_for_runs(own);
}

}  // namespace detent::detail
