// SPDX-License-Identifier: MIT
// A node's deadline, its cold part and its origin, read by somebody who holds a handle while the node may begin another
// life: what was read is of the life that the word shows before and after, or is not used; and what it leads to can be
// read.
#include "scenario.hpp"
#include "timers.hpp"

#include "timer/node.hpp"

#include <cstdint>

namespace model {
namespace {

using detent::detail::cold_node;
using detent::detail::group_state;
using detent::detail::origin_record;

constexpr std::int64_t due = 10;

// The plain data that a group's place leads to, written by the maker of the group.
struct group_place {
  unsigned of_life = 0;
};

struct described_timer : timer {
  cold_node twin;
  origin_record origin;
  group_place places[2];

  void describe(unsigned life) {
    places[life].of_life = life + 1;
    twin.set_group(reinterpret_cast<group_state*>(&places[life]));
    twin.set_epoch(life + 1);
    twin.set_label(static_cast<std::uint16_t>(life + 1));
    twin.set_tag(life + 1);
    twin.set_lane(static_cast<std::uint8_t>(life + 1), static_cast<std::uint8_t>(life + 1));
    origin.set(life == 0 ? "first" : "second", life + 1, life + 1);
    publish(life, timer_state::queued, due * (life + 1), state_word::cold);
  }
  // The first life ends, and the second begins.
  void begin_again() {
    if (states::cancel(pair, 0, false) == states::cancel_transition::gone) return;
    destroy_callable();
    require(states::release(pair), "used up");
    describe(1);
  }
};

// `read` returns which life it found something of, from 1 on.
template <class F>
void against_another_life(execution& run, F read) {
  auto& shared = run.make<described_timer>("timer");
  shared.describe(0);
  run.thread("owner", [&] { shared.begin_again(); });
  run.thread("reader", [&] {
    const std::uint64_t before = states::observe(shared.pair);
    if (!state_word::pending(state_word::state(before))) return reach("between two lives");
    const unsigned found = read(shared);
    if (states::observe(shared.pair) != before) return reach("a later life");
    require(found == state_word::generation(before) + 1, "of another life than the word says");
    reach(found == 1 ? "the first" : "the second");
  });
  run.join();
  shared.destroy_callable();
}

void group_of(execution& run) {
  against_another_life(
      run, [](described_timer& from) { return reinterpret_cast<const group_place*>(from.twin.group())->of_life; });
}
void epoch_of(execution& run) {
  against_another_life(run, [](described_timer& from) { return from.twin.epoch(); });
}
void label_of(execution& run) {
  against_another_life(run, [](described_timer& from) { return unsigned{from.twin.label()}; });
}
void lane_of(execution& run) {
  against_another_life(run, [](described_timer& from) { return unsigned{from.twin.lane()}; });
}
void executor_of(execution& run) {
  against_another_life(run, [](described_timer& from) { return unsigned{from.twin.executor()}; });
}
void tag_of(execution& run) {
  against_another_life(run, [](described_timer& from) { return static_cast<unsigned>(from.twin.tag()); });
}
void file_of(execution& run) {
  against_another_life(run, [](described_timer& from) { return *from.origin.file() == 'f' ? 1u : 2u; });
}
void line_of(execution& run) {
  against_another_life(run, [](described_timer& from) { return from.origin.line(); });
}
void time_of(execution& run) {
  against_another_life(run, [](described_timer& from) { return static_cast<unsigned>(from.origin.scheduled()); });
}
void deadline_of(execution& run) {
  against_another_life(run, [](described_timer& from) {
    return static_cast<unsigned>(states::deadline_between_looks(from.pair) / due);
  });
}

const bounds deep = {.preemptions = 6};

const suite twin("Twin", {
                             {"Group", group_of, deep, {"the first", "the second", "a later life"}},
                             {"Epoch", epoch_of, deep, {"the first", "the second", "a later life"}},
                             {"Label", label_of, deep, {"the first", "the second", "a later life"}},
                             {"Lane", lane_of, deep, {"the first", "the second", "a later life"}},
                             {"Executor", executor_of, deep, {"the first", "the second", "a later life"}},
                             {"Tag", tag_of, deep, {"the first", "the second", "a later life"}},
                             {"File", file_of, deep, {"the first", "the second", "a later life"}},
                             {"Line", line_of, deep, {"the first", "the second", "a later life"}},
                             {"Deadline", deadline_of, deep, {"the first", "the second", "a later life"}},
                             {"Time", time_of, deep, {"the first", "the second", "a later life"}},
                         });

}  // namespace
}  // namespace model
