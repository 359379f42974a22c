// SPDX-License-Identifier: MIT
#include "recorded_groups.hpp"

#include "groups/group_state.hpp"
#include "recording_limits.hpp"

#include <algorithm>

namespace detent::detail {

nanoseconds_t recorded_groups::arm(const operation& what, std::uint64_t order,
                                   const recorded_generations& generations) {
  auto known = members_.find(what.id);
  if (known == members_.end()) {
    if (what.group == nullptr) return what.deadline;
    if (members_.size() >= most_) forget_unknown(generations);
    known = members_.emplace(what.id, member{what.group, 0, 0}).first;
  }
  member& armed = known->second;
  const bool still = std::find(paused_.begin(), paused_.end(), armed.group) != paused_.end();
  armed.order = order;
  armed.deadline = still ? earlier_by(group_offset{what.at}, what.deadline).ns : what.deadline;
  return still ? forever : what.deadline;
}

std::vector<recorded_groups::moved> recorded_groups::turn(const operation& what,
                                                          const recorded_generations& generations) {
  const auto found = std::find(paused_.begin(), paused_.end(), what.group);
  const bool was_paused = found != paused_.end(), pause = what.kind == operation_kind::pause;
  if (was_paused == pause) return {};
  if (pause) {
    paused_.push_back(what.group);
  } else {
    paused_.erase(found);
  }
  if (what.kind == operation_kind::forget) return {};
  std::vector<moved> members;
  forget_unknown(generations);
  for (auto& [id, each] : members_) {
    if (each.group != what.group || each.deadline == forever) continue;
    each.deadline = pause ? earlier_by(group_offset{what.at}, each.deadline).ns
                          : later_by(group_offset{what.at}, group_time{each.deadline});
    members.push_back({id, pause ? forever : each.deadline, each.order});
  }
  std::sort(members.begin(), members.end(), [](auto& a, auto& b) { return a.order < b.order; });
  return members;
}

// If the end of a member was lost, nothing else removes it.
void recorded_groups::forget_unknown(const recorded_generations& generations) {
  std::erase_if(members_, [&](const auto& each) {
    return generations.look_up(each.first) == recorded_generations::state::unknown;
  });
  most_ = std::max(limits::recorded_members, 2 * members_.size());
}

}  // namespace detent::detail
