// SPDX-License-Identifier: MIT
// A player of a match, with all the timers that are the player's own in one group.
#pragma once

#include "match/player_flags.hpp"

#include <detent/detent.hpp>

namespace game {

struct player {
  player(int as, detent::engine& of) : number(as), timers(of) {}

  // The flags are those of match/player_flags.hpp.
  unsigned flags() const noexcept;

  const int number;
  int x = 0, y = 0;
  int dx = 0, dy = 0;  // where it wants to go
  int health = 0;
  int kills = 0, deaths = 0;
  bool alive = false, away = false;

  // A buff or a cool-down is its timer: it lasts as long as that is pending.
  detent::timer strike_cooldown, shield, shield_cooldown, haste, poison;
  // Outside the group, so that a death does not give back a pause.
  detent::timer pause_cooldown;

  // Cancelled together by a death, paused together with the match, or while the player is away.
  detent::timer_group timers;
};

inline unsigned player::flags() const noexcept {
  unsigned all = 0;
  auto set = [&all](unsigned bit, bool on) { all |= on ? bit : 0; };
  set(flag::alive, alive);
  set(flag::away, away);
  set(flag::shielded, shield.pending());
  set(flag::hasted, haste.pending());
  set(flag::poisoned, poison.pending());
  set(flag::may_strike, alive && !strike_cooldown.pending());
  set(flag::may_shield, alive && !shield_cooldown.pending());
  return all;
}

}  // namespace game
