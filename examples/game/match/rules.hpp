// SPDX-License-Identifier: MIT
// The numbers of the game. Its durations are of the match's own time, which goes forward by one frame at a time.
#pragma once

#include <detent/time.hpp>

namespace game {

using namespace std::chrono_literals;

inline constexpr detent::duration frame_length = 16'666'667ns;  // 60 a second
inline constexpr int most_players = 128;                        // so that the state of all fits one datagram

}  // namespace game

namespace game::rules {

inline constexpr int arena_size = 1024;
inline constexpr int walking_speed = 4, running_speed = 7;  // a frame, along each axis
inline constexpr int reach = 48;                            // of a strike, and of a hand for a power-up
inline constexpr int full_health = 100;

inline constexpr int strike_damage = 18;  // half as much through a shield
inline constexpr auto strike_cooldown = 400ms;
inline constexpr auto shield_lasts = 2s;
inline constexpr auto shield_cooldown = 6s;
inline constexpr auto haste_lasts = 3s;
inline constexpr auto power_up_every = 1s;

inline constexpr int poisoned_strikes = 4;  // one in so many
inline constexpr int poison_damage = 3;
inline constexpr auto poison_every = 500ms;
inline constexpr int poison_runs = 5;

inline constexpr int regeneration = 2;
inline constexpr auto regeneration_every = 1s;
inline constexpr auto respawn_after = 2s;

inline constexpr auto longest_pause = 2s;
inline constexpr auto between_pauses = 1s;   // of the match
inline constexpr auto pause_cooldown = 10s;  // of the player who asked for it

}  // namespace game::rules
