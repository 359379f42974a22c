// SPDX-License-Identifier: MIT
// A player's calls on groups.
#include "storm/player.hpp"
#include "storm/runner.hpp"

namespace stress {

using namespace std::chrono_literals;

void player::step_on_groups() {
  shared_group& any = *with_.groups[random_.below(with_.groups.size())];
  switch (random_.below(20)) {
    case 0: return any.group.pause();
    case 1:
    case 2: return any.group.resume();
    case 3: return any.group.cancel_all();
    case 4: return any.close();
    case 5: return live_briefly();
    case 6: return static_cast<void>(any.group.pending());
    default: schedule_in(any);
  }
}

void player::schedule_in(shared_group& with) {
  std::shared_lock lock(with.scheduling);
  account& at = with_.book->any(random_);
  const bool over = at.engine_stopped(), periodic = random_.one_in(4), rearms = !periodic && random_.one_in(8);
  outcome before = outcome::unborn;
  const life_number life = at.open({}, deadline_rule::loose, true, true, before);
  if (life == 0) return;
  mine_.count_end(before);
  const std::uint64_t runs = 1 + random_.below(20);
  role& part = at.part();
  part.group = &with;
  part.era = with.era;
  part.most_runs = periodic ? runs : rearms ? 0 : 1;
  if (rearms) part.rearm = 20us;
  const detent::duration delay = random_delay(random_) / 4;
  detent::timer made;
  if (periodic) {
    try {
      made = with.group.schedule_at_fixed_rate(delay, 1us + random_delay(random_) / 4, owning_callable(with_, at, life),
                                               {.runs = runs});
    } catch (const detent::error&) {
      require(with_.engine->stopped(), "an engine that runs refuses a member");
    }
  } else {
    const auto lane = static_cast<std::uint8_t>(random_.one_in(4) ? random_.below(4) : 0);
    made = with.group.try_schedule_after(delay, owning_callable(with_, at, life),
                                         {.lane = lane, .slack = detent::duration(random_.below(3) * 1000)});
  }
  finish_scheduling({&at, life, {}, true, true}, made, over);
}

// A group of this thread's own, whose members others may use by their handles.
void player::live_briefly() {
  auto mine = std::make_unique<detent::timer_group>(*with_.engine);
  for (std::uint64_t i = random_.below(6); i != 0; --i) {
    account& at = with_.book->any(random_);
    const bool over = at.engine_stopped();
    outcome before = outcome::unborn;
    const life_number life = at.open({}, deadline_rule::loose, true, true, before);
    if (life == 0) continue;
    mine_.count_end(before);
    const detent::duration delay = random_delay(random_) / 64;
    const detent::timer made = mine->try_schedule_after(delay, owning_callable(with_, at, life));
    finish_scheduling({&at, life, {}, true, true}, made, over);
  }
  if (random_.one_in(3)) mine->pause();
  if (random_.one_in(3)) use_old();
  if (random_.one_in(3)) {
    detent::timer_group moved(std::move(*mine));
    mine.reset();
    if (random_.one_in(2)) moved.resume();
  }
}

}  // namespace stress
