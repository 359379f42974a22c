// SPDX-License-Identifier: MIT
// A match: an engine on a clock of its own, which only run_frame() moves. So what happens depends on the seed and the
// inputs of each frame alone, whatever runs the frames, and however fast.
#pragma once

#include "match/input.hpp"
#include "match/match_result.hpp"
#include "match/player.hpp"
#include "match/rules.hpp"

#include <detent/detent.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <ostream>
#include <random>
#include <span>

namespace game {

class match {
 public:
  match(std::uint64_t seed, std::ostream& result);

  // The next frame: what is due by then fires, in order of deadlines; then the inputs take effect, in theirs; then
  // everybody moves.
  void run_frame(std::span<const input> inputs);

  std::uint64_t frames() const noexcept { return frames_; }
  bool paused() const noexcept { return paused_; }
  // Null: there is nobody with this number.
  const player* find(int number) const noexcept { return players_[static_cast<std::size_t>(number)].get(); }
  detent::engine_metrics timer_counts() const { return engine_.metrics(); }

 private:
  struct power_up {
    bool there = false;
    int x = 0, y = 0;
  };

  void apply(const input& from_outside);
  void act(player& who, const input& wish);
  void join(int number);
  void leave(player& who);
  void set_away(player& who, bool away);
  void pause(player& by);
  void resume();

  void spawn(player& who);
  void strike(player& by, player& at);
  void raise_shield(player& who);
  void take_power_up(player& who);
  void hurt(player& victim, int damage, int by);
  void die(player& victim, int by);

  void move(player& who);
  void write_hash();
  // Calls f for every player, in order of numbers.
  template <class F>
  void for_each_player(F f);
  int random_below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

  detent::manual_clock clock_;
  detent::engine engine_{{.name = "match", .manual = &clock_, .reserve = 8192}};
  match_result result_;
  std::mt19937_64 random_;  // its numbers are the same everywhere; those of the distributions are not
  std::uint64_t frames_ = 0;
  bool paused_ = false;
  detent::timer end_of_pause_, breather_;
  power_up power_up_;
  detent::timer_group arena_{engine_};
  std::array<std::unique_ptr<player>, most_players> players_;
};

template <class F>
void match::for_each_player(F f) {
  for (auto& who : players_) {
    if (who) f(*who);
  }
}

}  // namespace game
