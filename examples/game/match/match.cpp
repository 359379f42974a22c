// SPDX-License-Identifier: MIT
// Frames, players that come and go, and pauses. What players do to each other is in combat.cpp.
#include "match/match.hpp"

#include <algorithm>

namespace game {

match::match(std::uint64_t seed, std::ostream& result) : result_(result), random_(seed) {
  arena_.schedule_at_fixed_rate(rules::power_up_every, rules::power_up_every, [this](detent::firing& f) {
    power_up_ = {true, random_below(rules::arena_size), random_below(rules::arena_size)};
    result_.event(f.deadline(), "a power-up at {},{}", power_up_.x, power_up_.y);
  });
}

void match::run_frame(std::span<const input> inputs) {
  ++frames_;
  clock_.advance(frame_length);
  engine_.poll();
  for (const input& one : inputs) apply(one);
  if (!paused_) for_each_player([this](player& who) { move(who); });
  write_hash();
}

void match::apply(const input& from_outside) {
  auto& place = players_[static_cast<std::size_t>(from_outside.player)];
  if (from_outside.what == action::join && !place) join(from_outside.player);
  if (!place) return;
  switch (from_outside.what) {
    case action::join: return;
    case action::away: return set_away(*place, true);
    case action::back: return set_away(*place, false);
    case action::leave: return leave(*place);
    case action::pause: return pause(*place);
    case action::resume: return resume();
    case action::move:
    case action::strike:
    case action::shield: return act(*place, from_outside);
  }
}

void match::act(player& who, const input& wish) {
  if (paused_ || !who.alive || who.away) return;
  switch (wish.what) {
    case action::move:
      who.dx = wish.first;
      who.dy = wish.second;
      return;
    case action::strike:
      if (auto& other = players_[static_cast<std::size_t>(wish.first)]) strike(who, *other);
      return;
    default: raise_shield(who);
  }
}

void match::join(int number) {
  auto& place = players_[static_cast<std::size_t>(number)];
  place = std::make_unique<player>(number, engine_);
  if (paused_) place->timers.pause();
  result_.event(clock_.now(), "p{} joins", number);
  spawn(*place);
}

void match::leave(player& who) {
  result_.event(clock_.now(), "p{} leaves: {} kills, {} deaths", who.number, who.kills, who.deaths);
  players_[static_cast<std::size_t>(who.number)].reset();  // and with the group all its timers
}

// Nothing hurts, helps or harms a player that is away. What is left of each timer is left on the return.
void match::set_away(player& who, bool away) {
  if (who.away == away) return;
  who.away = away;
  who.dx = who.dy = 0;
  result_.event(clock_.now(), "p{} is {}", who.number, away ? "away" : "back");
  if (away) {
    who.timers.pause();
  } else if (!paused_) {
    who.timers.resume();
  }
}

// The engine's time goes on, since the pause itself has to end: what is paused are the groups, one word for each.
void match::pause(player& by) {
  if (paused_ || by.pause_cooldown.pending() || breather_.pending()) return;
  paused_ = true;
  result_.event(clock_.now(), "p{} pauses", by.number);
  arena_.pause();
  for_each_player([](player& who) { who.timers.pause(); });
  by.pause_cooldown = engine_.schedule_after(rules::pause_cooldown, [] {});
  end_of_pause_ = engine_.schedule_after(rules::longest_pause, [this] { resume(); });
}

void match::resume() {
  if (!paused_) return;
  paused_ = false;
  result_.event(clock_.now(), "goes on");
  end_of_pause_.cancel();
  breather_ = engine_.schedule_after(rules::between_pauses, [] {});
  arena_.resume();
  for_each_player([](player& who) {
    if (!who.away) who.timers.resume();
  });
}

void match::move(player& who) {
  if (!who.alive || who.away) return;
  const int speed = who.haste.pending() ? rules::running_speed : rules::walking_speed;
  who.x = std::clamp(who.x + who.dx * speed, 0, rules::arena_size - 1);
  who.y = std::clamp(who.y + who.dy * speed, 0, rules::arena_size - 1);
  if (power_up_.there) take_power_up(who);
}

void match::write_hash() {
  fingerprint all;
  for (const int value : {int{paused_}, int{power_up_.there}, power_up_.x, power_up_.y}) all.add(value);
  for_each_player([&all](const player& who) {
    for (const int value : {who.number, who.x, who.y, who.dx, who.dy, who.health, who.kills, who.deaths})
      all.add(value);
    all.add(who.flags());
    all.add(who.pause_cooldown.pending());
  });
  result_.frame(frames_, all.value());
}

}  // namespace game
