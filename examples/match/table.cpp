// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <random>

namespace match {
namespace {

constexpr int patience = 30;  // seconds without a move

}  // namespace

table::table(detent::engine& engine, detent::duration second) : engine_(engine), second_(second) {}

void table::seat(int players, std::uint32_t seed, detent::time_point start) {
  start_ = start;
  seated_ = players;
  std::mt19937 random(seed);
  // The engine's numbers are the same everywhere, but those of distributions are not.
  const auto below = [&random](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  for (int player = 1; player <= players; ++player) {
    int second = below(10);
    engine_.schedule_at(start + second * second_, [this, player](detent::firing& run) { join(player, run); });
    const int moves = 3 + below(5);
    for (int move = 0; move < moves; ++move) {
      second += 1 + below(patience - 1);
      engine_.schedule_at(start + second * second_, [this, player](detent::firing& run) {
        note(player, "moved", run);
        asleep_[player].restart_at(run.deadline() + patience * second_);  // from when it was to happen: no drift
      });
    }
  }
}

void table::join(int player, detent::firing& run) {
  note(player, "joined", run);
  asleep_[player] = engine_.schedule_at(run.deadline() + patience * second_, [this, player](detent::firing& end) {
    note(player, "was sent away", end);
    ++left_;
  });
}

void table::note(int player, const std::string& what, detent::firing& run) {
  if (engine_.now() < run.deadline()) ++early_;
  happenings_[player].push_back({what, (run.deadline() - start_) / second_});
}

}  // namespace match
