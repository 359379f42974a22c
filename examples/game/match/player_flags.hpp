// SPDX-License-Identifier: MIT
// What others see of a player, in bits.
#pragma once

namespace game::flag {

inline constexpr unsigned alive = 1, away = 2, shielded = 4, hasted = 8, poisoned = 16, may_strike = 32,
                          may_shield = 64;

}  // namespace game::flag
