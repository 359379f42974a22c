// SPDX-License-Identifier: MIT
// A table of a game: players join, move, fall asleep and are sent away. All of its time is the engine's.
#pragma once

#include <detent/detent.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace match {

// An event of a player, with its time in seconds of the game.
struct happening {
  std::string what;
  std::int64_t second = 0;
  bool operator==(const happening& other) const = default;
};

class table {
 public:
  // A second of the game takes `second` of the engine's time. The engine must have ended, or be driven by the caller,
  // before anything is read.
  table(detent::engine& engine, detent::duration second);

  // Players who join and move as that seed has it, from `start` on.
  void seat(int players, std::uint32_t seed, detent::time_point start);

  const std::map<int, std::vector<happening>>& happenings() const { return happenings_; }
  int early() const { return early_; }
  bool all_have_left() const { return left_ == seated_; }

 private:
  void note(int player, const std::string& what, detent::firing& run);
  void join(int player, detent::firing& run);

  detent::engine& engine_;
  const detent::duration second_;
  detent::time_point start_;
  std::map<int, detent::timer> asleep_;  // who has not moved for a while
  std::map<int, std::vector<happening>> happenings_;
  int early_ = 0, seated_ = 0, left_ = 0;
};

}  // namespace match
