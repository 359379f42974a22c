// SPDX-License-Identifier: MIT
// The ticks, and what silence leads to. What datagrams lead to is in datagrams.cpp.
#include "server/game_server.hpp"

#include <algorithm>

namespace game {

game_server::game_server(event_loop& loop, const server_options& options, std::ostream& log, std::ostream& result)
    : loop_(loop), options_(options), socket_(options.port), match_(options.seed, result), log_(log, options.seed) {
  loop_.watch(socket_.fd(), [this] { on_readable(); });
  loop_.timers().schedule_at_fixed_rate(frame_length, frame_length, [this](detent::firing& tick) { on_tick(tick); },
                                        {.missed_policy = detent::missed_ticks::skip});
}

// After a lag there is one tick, not one for each that was missed, and it says how many those were. The match makes up
// for a few of them. The rest it lets go: its time was paused, and no player dies of a burst of frames.
void game_server::on_tick(detent::firing& tick) {
  const std::uint64_t caught_up = std::min(tick.missed(), options_.catch_up);
  counts_.ticks += 1;
  counts_.missed += tick.missed();
  counts_.caught_up += caught_up;
  counts_.let_go += tick.missed() - caught_up;
  counts_.early += tick.lateness() < 0ns;
  counts_.most_frames_in_a_tick = std::max(counts_.most_frames_in_a_tick, 1 + caught_up);
  counts_.lateness.add(tick.lateness());
  if (tick.missed() != 0) absent_until_ = tick.started();

  for (std::uint64_t frame = 0; frame <= caught_up; ++frame) run_one_frame();
  for (auto& [from, one] : sessions_) one.taken_in_tick = 0;
  send_snapshots();
}

void game_server::run_one_frame() {
  log_.frame(match_.frames() + 1, inputs_);
  match_.run_frame(inputs_);
  inputs_.clear();
}

void game_server::finish() {
  run_one_frame();
  log_.end(match_.frames());
}

void game_server::send_snapshots() {
  wire::snapshot now{.frame = static_cast<std::uint32_t>(match_.frames()), .paused = match_.paused(), .players = {}};
  for (int number = 0; number < most_players; ++number) {
    if (const player* who = match_.find(number))
      now.players.push_back({.number = static_cast<std::uint8_t>(number),
                             .flags = static_cast<std::uint8_t>(who->flags()),
                             .health = static_cast<std::uint8_t>(who->health),
                             .x = static_cast<std::int16_t>(who->x),
                             .y = static_cast<std::int16_t>(who->y)});
  }
  wire::encode(now, encoded_);  // the same for all
  for (const auto& [to, one] : sessions_) {
    if (!one.away) ++(socket_.send(to, encoded_) ? counts_.sent : counts_.unsent);
  }
}

// First away, and after more silence out: one timer, which arms itself again.
void game_server::on_silence(const endpoint& of, detent::firing& end) {
  const auto who = sessions_.find(of);
  // If the server was not there, what the client sent may wait in the socket. Of what was due meanwhile the tick came
  // first, as it has been due the longest.
  if (end.lateness() > frame_length || end.started() - absent_until_ <= frame_length) {
    ++counts_.forgiven;
    end.rearm_after(away_after);
  } else if (!who->second.away) {
    ++counts_.away;
    who->second.away = true;
    inputs_.push_back({.player = who->second.player, .what = action::away});
    end.rearm_after(throw_out_after);
  } else {
    ++counts_.thrown_out;
    leave(who);
  }
}

void game_server::heard(session& of) {
  of.silence.restart_after(away_after);
  if (!of.away) return;
  ++counts_.back;
  of.away = false;
  inputs_.push_back({.player = of.player, .what = action::back});
}

void game_server::leave(session_table::iterator who) {
  ++counts_.left;
  inputs_.push_back({.player = who->second.player, .what = action::leave});
  sessions_.erase(who);  // and with it its timer
}

}  // namespace game
