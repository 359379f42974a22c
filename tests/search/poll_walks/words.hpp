// SPDX-License-Identifier: MIT
// The words of a walk's text, and which operations have which parts.
#pragma once

#include "search/poll_walks/program.hpp"

#include <array>
#include <string_view>

namespace detent::poll_walks {

inline constexpr std::array<std::string_view, 32> words{
    "schedule", "rate",  "delay",    "bulk",     "sleep",     "ticks",       "cancel", "cancel-bulk",
    "restart",  "ask",   "destroy",  "pause",    "resume",    "cancel-all",  "end",    "advance",
    "reach",    "poll",  "run",      "next",     "list",      "metrics",     "move",   "close",
    "stop",     "drain", "executor", "run-held", "drop-held", "ask-to-stop", "rearm",  "throw"};
inline constexpr std::array<std::string_view, 3> policies{"inline", "retry", "drop"};
inline constexpr std::array<std::string_view, 3> misses{"skip", "burst", "delay"};

inline bool makes(action what) { return what <= action::ticks; }
inline bool names_timers(action what) { return what <= action::destroy; }
inline bool has_moment(action what) {
  return (makes(what) && what != action::ticks) || what == action::restart || what == action::rearm ||
         what == action::reach || what == action::run;
}
inline bool names_one(action what) {
  return (what >= action::pause && what <= action::end) || what == action::executor || what == action::ask_to_stop;
}

}  // namespace detent::poll_walks
