// SPDX-License-Identifier: MIT
// What players do to each other: cool-downs, buffs, poison, death and respawn, each a timer of the player's group.
#include "match/match.hpp"

#include <algorithm>
#include <cstdlib>

namespace game {
namespace {

bool within_reach(const player& who, int x, int y) {
  return std::abs(who.x - x) <= rules::reach && std::abs(who.y - y) <= rules::reach;
}

}  // namespace

void match::spawn(player& who) {
  who.alive = true;
  who.health = rules::full_health;
  who.dx = who.dy = 0;
  who.x = random_below(rules::arena_size);
  who.y = random_below(rules::arena_size);
  who.timers.schedule_at_fixed_rate(rules::regeneration_every, rules::regeneration_every, [&who] {
    who.health = std::min(who.health + rules::regeneration, rules::full_health);
  });
}

void match::strike(player& by, player& at) {
  if (by.strike_cooldown.pending() || &by == &at) return;
  if (!at.alive || at.away || !within_reach(by, at.x, at.y)) return;
  by.strike_cooldown = by.timers.schedule_after(rules::strike_cooldown, [] {});
  result_.event(clock_.now(), "p{} strikes p{}", by.number, at.number);
  hurt(at, rules::strike_damage, by.number);
  if (!at.alive || random_below(rules::poisoned_strikes) != 0) return;
  at.poison.cancel();
  at.poison =
      at.timers.schedule_at_fixed_rate(rules::poison_every, rules::poison_every,
                                       [this, &at, number = by.number](detent::firing& f) {
                                         result_.event(f.deadline(), "p{} suffers poison of p{}", at.number, number);
                                         hurt(at, rules::poison_damage, number);
                                       },
                                       {.runs = rules::poison_runs});
}

void match::raise_shield(player& who) {
  if (who.shield_cooldown.pending()) return;
  who.shield_cooldown = who.timers.schedule_after(rules::shield_cooldown, [] {});
  who.shield = who.timers.schedule_after(rules::shield_lasts, [this, &who](detent::firing& f) {
    result_.event(f.deadline(), "p{} has no shield any more", who.number);
  });
  result_.event(clock_.now(), "p{} raises a shield", who.number);
}

void match::take_power_up(player& who) {
  if (!within_reach(who, power_up_.x, power_up_.y)) return;
  power_up_ = {};
  result_.event(clock_.now(), "p{} is hasted", who.number);
  if (who.haste.restart_after(rules::haste_lasts)) return;  // still pending: only longer
  who.haste = who.timers.schedule_after(rules::haste_lasts, [this, &who](detent::firing& f) {
    result_.event(f.deadline(), "p{} is hasted no longer", who.number);
  });
}

void match::hurt(player& victim, int damage, int by) {
  victim.health -= victim.shield.pending() ? damage / 2 : damage;
  if (victim.health <= 0) die(victim, by);
}

void match::die(player& victim, int by) {
  victim.alive = false;
  victim.health = 0;
  ++victim.deaths;
  if (auto& killer = players_[static_cast<std::size_t>(by)]) ++killer->kills;
  result_.event(clock_.now(), "p{} dies of p{}", victim.number, by);
  // Whatever there is: cool-downs, buffs, regeneration, and the poison whose run this may be.
  victim.timers.cancel_all();
  victim.timers.schedule_after(rules::respawn_after, [this, &victim](detent::firing& f) {
    result_.event(f.deadline(), "p{} is alive again", victim.number);
    spawn(victim);
  });
}

}  // namespace game
