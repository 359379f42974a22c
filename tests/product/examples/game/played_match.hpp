// SPDX-License-Identifier: MIT
// A match that a test plays, frame by frame.
#pragma once

#include "match/match.hpp"

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace game {

struct played_match {
  explicit played_match(std::uint64_t seed, int players) : play(seed, result) {
    std::vector<input> joins;
    for (int number = 0; number < players; ++number) joins.push_back({.player = number, .what = action::join});
    play.run_frame(joins);
  }

  const player& at(int number) const { return *play.find(number); }
  void frame(std::initializer_list<input> inputs = {}) { play.run_frame(std::span(inputs.begin(), inputs.size())); }
  void frames(int count) {
    for (; count > 0; --count) frame();
  }
  // As many as it takes until `time` has passed.
  void pass(detent::duration time) { frames(static_cast<int>((time + frame_length - 1ns) / frame_length)); }

  void step_towards(int who, int x, int y) {
    const auto sign = [](int value) { return (value > 0) - (value < 0); };
    frame({{.player = who, .what = action::move, .first = sign(x - at(who).x), .second = sign(y - at(who).y)}});
  }
  void stop(int who) { frame({{.player = who, .what = action::move}}); }
  // Until `who` can strike `other`.
  void approach(int who, int other) {
    const auto away = [&] { return std::max(std::abs(at(who).x - at(other).x), std::abs(at(who).y - at(other).y)); };
    for (int steps = 0; away() > rules::reach && steps < 1000; ++steps) step_towards(who, at(other).x, at(other).y);
    stop(who);
  }
  // A step towards the last power-up that there was.
  void seek_power_up(int who) {
    constexpr std::string_view words = "a power-up at ";
    const std::string text = result.str();
    const auto found = text.rfind(words);
    if (found == std::string::npos) return frame();
    std::istringstream place(text.substr(found + words.size()));
    int x = 0, y = 0;
    char comma = 0;
    place >> x >> comma >> y;
    step_towards(who, x, y);
  }
  void strike(int by, int whom) { frame({{.player = by, .what = action::strike, .first = whom}}); }

  std::size_t count(std::string_view words) const {
    const std::string text = result.str();
    std::size_t found = 0;
    for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++found;
    return found;
  }
  // The time of the last event whose text is this, in nanoseconds; -1: there is none.
  std::int64_t time_of(std::string_view event) const {
    const std::string text = result.str();
    const auto end = text.rfind(" " + std::string(event) + "\n");
    if (end == std::string::npos) return -1;
    const auto begin = text.rfind('\n', end - 1) + 1;
    std::string digits = text.substr(begin, end - begin);
    std::erase(digits, '.');
    return std::stoll(digits);
  }

  std::ostringstream result;
  match play;
};

}  // namespace game
