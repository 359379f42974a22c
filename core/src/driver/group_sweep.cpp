// SPDX-License-Identifier: MIT
#include "driver/group_sweep.hpp"

namespace detent::detail {

void group_sweep::enrol(node_index index, std::uint64_t word) noexcept {
  cold_node& cold = core_.cold_at(index);
  group_state& group = *core_.nodes.group_of(index);
  const bool cancelled = is_cancelled_in_group(core_, index);
  if ((cold.enrolled && !cancelled) || !group.hold()) return;
  if (!cold.enrolled) {
    cold.enrolled = true;
    auto is_alive = [this](const group_roster::entry& each) {
      return state_word::generation(observe(core_.node_at(each.index).pair)) == each.generation;
    };
    // Without memory for it, a sweep goes through all nodes, from the first on.
    if (!groups_end::roster(group).add({index, state_word::generation(word)}, is_alive, groups_.rosters()) &&
        swept_ == &group)
      at_ = 0;
  }
  if (cancelled) core_.groups.request(group);
  core_.groups.drop_reference(group);
}

// There is room for one group. A member of another asks once more when it comes due in the next pass. The member may be
// the last of its group, and another thread may cancel it at this moment.
void group_sweep::sweep_soon(group_state& group) noexcept {
  ++held_back_;
  const bool will_do = swept_ == &group && turns_ == groups_end::turns(group) && (gathers_ || !group.is_scattered());
  if (will_do || urgent_ != nullptr || !group.hold()) return;
  urgent_ = &group;
  groups_.ask_again();
}

bool group_sweep::begin_next() noexcept {
  swept_ = std::exchange(urgent_, nullptr);
  if (swept_ == nullptr) {
    if (to_sweep_ == nullptr) to_sweep_ = groups_.take_requests();
    if (to_sweep_ == nullptr) return false;
    swept_ = std::exchange(to_sweep_, groups_end::next(*to_sweep_));
    groups_end::answer(*swept_);
  }
  gathers_ = swept_->is_scattered();
  goings_ = groups_end::goings(*swept_);
  turns_ = groups_end::turns(*swept_);
  groups_end::roster(*swept_).begin_walk();
  at_ = 0;
  return true;
}

void group_sweep::end_walk() noexcept {
  groups_end::roster(*swept_).end_walk();
  // If it was paused or resumed during the walk, its members are filed by two different times. It is swept once more
  // when it goes on.
  if (turns_ == groups_end::turns(*swept_)) {
    if (gathers_) groups_end::gathered(*swept_, goings_);
    groups_end::went_through(*swept_, turns_);
  }
  core_.groups.drop_reference(*std::exchange(swept_, nullptr));
}

// If memory for the roster ran out, all nodes were walked; and then the roster as well, because of members that left.
bool group_sweep::is_through() const noexcept {
  const bool by_roster = groups_end::roster(*swept_).complete() || at_ >= core_.pool.carved();
  return by_roster && groups_end::roster(*swept_).is_through();
}

group_sweep::found group_sweep::step() noexcept {
  const bool by_roster = groups_end::roster(*swept_).complete() || at_ >= core_.pool.carved();
  const group_roster::entry named = by_roster ? groups_end::roster(*swept_).step() : group_roster::entry{at_++, 0};
  const std::uint64_t word = observe(core_.node_at(named.index).pair);
  if (by_roster && state_word::generation(word) != named.generation) return {no_node, word, by_roster, true};
  // A free node's cold part may just be written for its next generation.
  const bool described = (word & state_word::cold) != 0 && state_word::state(word) != timer_state::free;
  const bool is_member = described && core_.nodes.group_of(named.index) == swept_;
  return {is_member ? named.index : no_node, word, by_roster, false};
}

bool group_sweep::cancel_member(const found& at) noexcept {
  return cancel(core_, at.index, state_word::generation(at.word), false) != cancel_result::running;
}

}  // namespace detent::detail
