// SPDX-License-Identifier: MIT
// A turn of play every 50 ms, and what the server answers.
#include "bots/bot.hpp"

#include "match/player_flags.hpp"
#include "match/rules.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <variant>

namespace game {
namespace {

constexpr auto between_turns = 50ms;
constexpr auto worth_noticing = 500ms;  // of silence; a server should put up with so much
constexpr auto between_vanishings = 6s;
constexpr detent::duration short_silence = 1200ms, long_silence = 4s;

int distance(const wire::snapshot::player_state& a, const wire::snapshot::player_state& b) {
  return std::max(std::abs(a.x - b.x), std::abs(a.y - b.y));
}

int sign(int value) { return (value > 0) - (value < 0); }

}  // namespace

bot::bot(bot_world& world, int number, int count) : world_(world), number_(number) {
  detent::engine& timers = world_.loop.timers();
  world_.loop.watch(socket_.fd(), [this] { on_readable(); });
  timers.schedule_at_fixed_rate(between_turns * number / count, between_turns, [this] { on_turn(); });
  if (!world_.wrong.vanish || number % 8 != 1) return;
  const auto silence = number % 16 == 1 ? short_silence : long_silence;
  timers.schedule_at_fixed_rate(1s, between_vanishings, [this, silence] {
    ++world_.counts.vanished;
    silent_until_ = world_.loop.timers().now() + silence;
  });
}

void bot::leave() {
  if (session_) send(wire::bye{.key = session_->key});
}

void bot::on_turn() {
  if (world_.loop.timers().now() < silent_until_) return;
  if (!session_) return send(wire::hello{});
  ++turns_;
  ++inputs_.newest;
  ++world_.counts.made;
  if (inputs_.last.size() == wire::most_inputs) inputs_.last.erase(inputs_.last.begin());
  inputs_.last.push_back(next_input());
  send(inputs_);
}

input bot::next_input() {
  if (world_.wrong.pauses && number_ % 10 == 5) return {.what = turns_ % 2 == 0 ? action::pause : action::resume};
  if (number_ == 2 && turns_ % 300 == 40) return {.what = action::pause};  // every 15 s, and lets it end by itself
  return play();
}

input bot::play() {
  const auto me = std::find_if(seen_.players.begin(), seen_.players.end(),
                               [this](const seen_player& one) { return one.number == session_->player; });
  if (me == seen_.players.end()) return wander();
  const seen_player* enemy = nearest_enemy(*me);
  if (!enemy) return wander();
  if (me->health < rules::full_health / 2 && (me->flags & flag::may_shield) != 0) return {.what = action::shield};
  if (distance(*me, *enemy) <= rules::reach && (me->flags & flag::may_strike) != 0)
    return {.what = action::strike, .first = enemy->number};
  return {.what = action::move, .first = sign(enemy->x - me->x), .second = sign(enemy->y - me->y)};
}

input bot::wander() {
  const auto direction = [this] { return static_cast<int>(world_.random() % 3) - 1; };
  const int first = direction();
  return {.what = action::move, .first = first, .second = direction()};
}

const bot::seen_player* bot::nearest_enemy(const seen_player& me) const {
  const seen_player* nearest = nullptr;
  for (const seen_player& one : seen_.players) {
    if (one.number == me.number || (one.flags & flag::alive) == 0 || (one.flags & flag::away) != 0) continue;
    if (!nearest || distance(me, one) < distance(me, *nearest)) nearest = &one;
  }
  return nearest;
}

void bot::on_readable() {
  while (const auto datagram = socket_.receive()) {
    auto read = wire::decode(datagram->bytes);
    if (!read || datagram->from != world_.server) {
      ++world_.counts.strange;
    } else if (auto* now = std::get_if<wire::snapshot>(&*read)) {
      on_snapshot(std::move(*now));
    } else if (auto* joined = std::get_if<wire::welcome>(&*read)) {
      if (session_) continue;  // to a second hello
      ++world_.counts.joined;
      session_ = *joined;
      inputs_ = {.key = joined->key, .newest = 0, .last = {}};
    } else if (auto* gone = std::get_if<wire::unknown>(&*read)) {
      if (!session_ || session_->key != gone->key) continue;  // it meant one before
      ++world_.counts.gone;
      session_.reset();
    } else {
      ++world_.counts.strange;
    }
  }
}

void bot::on_snapshot(wire::snapshot&& now) {
  const detent::time_point arrived = world_.loop.timers().now();
  ++world_.counts.snapshots;
  if (now.frame <= seen_.frame) ++world_.counts.not_newer;
  if (number_ == 0 && now.frame == seen_.frame + 1 && seen_.frame > 0)
    world_.snapshot_jitter.add(std::chrono::abs(arrived - last_seen_ - frame_length));
  last_seen_ = arrived;
  seen_ = std::move(now);
}

void bot::send(const wire::datagram& what) {
  const detent::time_point now = world_.loop.timers().now();
  if (last_sent_ != detent::time_point{} && now - last_sent_ >= worth_noticing) ++world_.counts.silences;
  last_sent_ = now;
  wire::encode(what, encoded_);
  if (world_.by_chance(world_.wrong.loss)) {
    ++world_.counts.lost;
    return;
  }
  const int copies = world_.by_chance(world_.wrong.duplicates) ? 2 : 1;
  world_.counts.duplicated += copies == 2;
  for (int i = 0; i < copies; ++i) world_.counts.sent += socket_.send(world_.server, encoded_);
}

}  // namespace game
