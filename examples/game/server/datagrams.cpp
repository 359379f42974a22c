// SPDX-License-Identifier: MIT
// What comes in from the network. Nothing of it is believed, and nothing is answered by more than was sent.
#include "server/game_server.hpp"

#include <algorithm>
#include <span>
#include <variant>

namespace game {

void game_server::on_readable() {
  constexpr int most_at_once = 256;  // then the ticks have their turn
  for (int i = 0; i < most_at_once; ++i) {
    const auto datagram = socket_.receive();
    if (!datagram) return;
    ++counts_.received;
    on_datagram(*datagram);
  }
}

void game_server::on_datagram(const udp_socket::received& datagram) {
  auto read = wire::decode(datagram.bytes);
  if (!read) {
    ++counts_.garbage;
  } else if (std::holds_alternative<wire::hello>(*read)) {
    on_hello(datagram.from);
  } else if (auto* sent = std::get_if<wire::inputs>(&*read)) {
    on_inputs(datagram.from, *sent);
  } else if (auto* left = std::get_if<wire::bye>(&*read)) {
    on_bye(datagram.from, *left);
  } else {
    ++counts_.garbage;  // a server's own kinds
  }
}

void game_server::on_hello(const endpoint& from) {
  auto found = sessions_.find(from);
  if (found == sessions_.end()) {
    const int number = free_number();
    if (number < 0) {
      ++counts_.refused;
      return;
    }
    ++counts_.joined;
    found = sessions_.try_emplace(from).first;
    found->second.player = number;
    found->second.key = std::uint64_t{keys_()} << 32 | keys_();
    found->second.silence = detent::scoped_timer(
        loop_.timers().schedule_after(away_after, [this, from](detent::firing& end) { on_silence(from, end); }));
    inputs_.push_back({.player = number, .what = action::join});
  } else {
    heard(found->second);
  }
  // Also if the session is there: then the first welcome was lost.
  send(from, wire::welcome{.key = found->second.key, .player = static_cast<std::uint8_t>(found->second.player)});
}

void game_server::on_inputs(const endpoint& from, wire::inputs& sent) {
  session* of = known(from, sent.key);
  if (!of) return;
  heard(*of);
  if (sent.newest > of->newest) {
    take_new(*of, sent);
  } else {
    ++counts_.duplicates;
  }
}

void game_server::on_bye(const endpoint& from, const wire::bye& sent) {
  if (known(from, sent.key)) leave(sessions_.find(from));
}

session* game_server::known(const endpoint& from, std::uint64_t key) {
  const auto found = sessions_.find(from);
  if (found != sessions_.end() && found->second.key == key) return &found->second;
  ++counts_.strangers;
  send(from, wire::unknown{.key = key});
  return nullptr;
}

void game_server::take_new(session& of, wire::inputs& sent) {
  const std::uint32_t unseen = sent.newest - of.newest;
  const auto fresh = std::min<std::size_t>(unseen, sent.last.size());
  counts_.lost += unseen - fresh;
  counts_.recovered += fresh - 1;
  of.newest = sent.newest;
  for (input& one : std::span(sent.last).last(fresh)) {
    if (of.taken_in_tick == options_.inputs_per_tick) {
      ++counts_.excess;
      continue;
    }
    ++of.taken_in_tick;
    ++counts_.taken;
    one.player = of.player;
    inputs_.push_back(one);
  }
}

// Not that of a player that has just left: the match gets that with the next frame, both in their order.
int game_server::free_number() const {
  for (int number = 0; number < options_.players; ++number) {
    const auto has_it = [number](const auto& entry) { return entry.second.player == number; };
    if (std::none_of(sessions_.begin(), sessions_.end(), has_it)) return number;
  }
  return -1;
}

void game_server::send(const endpoint& to, const wire::datagram& what) {
  wire::encode(what, encoded_);
  ++(socket_.send(to, encoded_) ? counts_.sent : counts_.unsent);
}

}  // namespace game
