// SPDX-License-Identifier: MIT
#include "client_session.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>

#include "connect.hpp"
#include "crowd.hpp"
#include "nonsense.hpp"

namespace load {

using namespace std::chrono_literals;
using wire::message_type;
using wire::tag;

namespace {

constexpr std::size_t most_unsent = 1 << 26;
constexpr int heartbeats_in_a_flood = 8000, orders_in_a_flood = 2000;
constexpr char market = '1', limit = '2';

}  // namespace

client_session::client_session(crowd& home, net::event_loop& loop, std::size_t place)
    : connection(loop, connect_to(home.chosen().port), most_unsent),
      home_(home),
      place_(place),
      number_(home.orders().open_session()),
      heartbeats_(home.found(), home.chosen().interval) {
  say(message_type::logon)
      .with(tag::sender, fmt::format("C{}", number_))
      .with(tag::heartbeat_interval, home.chosen().interval.count());
}

void client_session::on_line(std::string_view line) {
  std::string problem;
  if (const auto news = wire::message::parse(line, problem)) {
    on_message(*news);
  } else {
    home_.found().broken("session {}: the gateway sent a line that is no message: {}", number_, problem);
  }
}

void client_session::on_too_long() { home_.found().broken("session {}: the gateway sent a line without end", number_); }

void client_session::on_message(const wire::message& news) {
  switch (news.type()) {
    case message_type::logon: return on_logon();
    case message_type::heartbeat: return on_heartbeat(news);
    case message_type::test_request: return on_test_request(news);
    case message_type::logout: return on_logout(news);
    case message_type::report: return home_.orders().reported(news, loop().engine().now());
    case message_type::cancel_reject: return;  // it came too late, as the reports show
    case message_type::reject: return on_reject();
    default: home_.found().broken("session {}: the gateway sent a client's message", number_);
  }
}

void client_session::on_logon() {
  state_ = state::active;
  ++home_.counts().logons;
  home_.is_active();
  heartbeat_ = detent::scoped_timer(loop().engine().schedule_at_fixed_rate(
      home_.chosen().interval, home_.chosen().interval, [this] { say(message_type::heartbeat); }));
}

void client_session::on_heartbeat(const wire::message& news) {
  const auto slot = news.number(tag::slot), fired = news.number(tag::sending_time), missed = news.number(tag::missed);
  if (!slot || !fired || !missed) return home_.found().broken("session {}: a heartbeat without its slot", number_);
  const heartbeat next{wire::from_wire(*slot), wire::from_wire(*fired), static_cast<std::uint64_t>(*missed),
                       loop().engine().now()};
  heartbeats_.look_at(next, number_);
  home_.measured().heartbeat(next.slot, next.fired, next.arrived);
  ++home_.counts().heartbeats;
  home_.counts().missed_slots += next.missed;
}

void client_session::on_reject() {
  if (nonsense_open_ == 0) return home_.found().broken("session {}: a good message was rejected", number_);
  --nonsense_open_;
  ++home_.counts().rejects;
}

void client_session::on_test_request(const wire::message& news) {
  if (state_ != state::silent) {
    ++home_.counts().tests_answered;
    say(message_type::heartbeat).with(tag::test_id, news.number(tag::test_id).value_or(0));
    return;
  }
  const auto at = wire::from_wire(news.number(tag::sending_time).value_or(0));
  // An earlier pause, of a program that is late itself, is tested as well, and that may cross the last words.
  if (at < last_said_ + silence_limit() && longest_pause_ < silence_limit())
    home_.found().broken("session {}: tested too early", number_);
  tested_ = at;
}

void client_session::on_logout(const wire::message& news) {
  const auto at = wire::from_wire(news.number(tag::sending_time).value_or(0));
  const std::string_view why = news.text(tag::text).value_or("");
  if (state_ == state::silent) {
    ++home_.counts().found_dead;
    if (!tested_) {
      home_.found().broken("session {}: ended without a test request", number_);
    } else if (at < *tested_ + home_.chosen().interval) {
      home_.found().broken("session {}: had no time to answer the test request", number_);
    }
  } else if (why.starts_with("silent") && std::max(longest_pause_, at - last_said_) >= silence_limit()) {
    ++home_.counts().slow_here;  // on a busy machine this program may be the one that is late
  } else {
    home_.found().broken("session {}: logged out: {}", number_, why);
  }
  leave({});
}

void client_session::on_lost(std::string_view why) {
  home_.found().broken("session {}: {}", number_, why);
  leave({});
}

void client_session::trade(std::mt19937_64& chance) {
  const int kind = std::uniform_int_distribution(0, 99)(chance);
  if (kind >= 10 || last_order_ == 0) {
    place_order(chance);
  } else if (kind < 5) {
    say(message_type::cancel_order).with(tag::original_id, last_order_);
  } else {
    const auto expires = loop().engine().now() + std::uniform_int_distribution(50, 1000)(chance) * 1ms;
    say(message_type::replace_order).with(tag::original_id, last_order_).with(tag::expire_time, expires);
  }
}

void client_session::place_order(std::mt19937_64& chance) {
  const char side = std::bernoulli_distribution(0.5)(chance) ? '1' : '2';
  if (std::bernoulli_distribution(0.05)(chance)) {
    const order_number id = home_.orders().send(number_, {});
    say(message_type::new_order).with(tag::order_id, id).with(tag::side, side).with(tag::order_type, market);
    return;
  }
  auto expires = loop().engine().now() + std::uniform_int_distribution<std::int64_t>(50'000, 3'000'000)(chance) * 1us;
  // Every other one at a full hundredth of a second, so that many share a deadline.
  if (std::bernoulli_distribution(0.5)(chance))
    expires = std::chrono::ceil<std::chrono::duration<std::int64_t, std::centi>>(expires);
  limit_order(expires, side);
}

void client_session::limit_order(wire::time_point expires, char side) {
  last_order_ = home_.orders().send(number_, expires);
  say(message_type::new_order)
      .with(tag::order_id, last_order_)
      .with(tag::side, side)
      .with(tag::order_type, limit)
      .with(tag::expire_time, expires);
}

void client_session::fall_silent() {
  state_ = state::silent;
  ++home_.counts().fell_silent;
  home_.is_no_longer_active();
  heartbeat_ = {};
}

void client_session::drop(bool with_reset) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  if (with_reset) setsockopt(socket(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ++home_.counts().dropped;
  leave(loop().engine().now());
}

void client_session::flood() {
  ++home_.counts().floods;
  const auto expires = loop().engine().now() + 500ms;
  for (int i = 0; i < orders_in_a_flood; ++i) limit_order(expires, '1');
  for (int i = 0; i < heartbeats_in_a_flood; ++i) say(message_type::heartbeat);
}

void client_session::talk_nonsense() {
  for (std::string_view line : lines_of_nonsense()) {
    say_raw(line);
    ++nonsense_open_;
    ++home_.counts().nonsense;
  }
  limit_order(loop().engine().now() + 100ms, '2');
}

wire::message_text client_session::say(message_type type) {
  note_said();
  return write(type);
}

void client_session::say_raw(std::string_view line) {
  note_said();
  write_raw(line);
  write_raw("\n");
}

void client_session::note_said() {
  const auto now = loop().engine().now();
  if (last_said_ != wire::time_point{}) longest_pause_ = std::max(longest_pause_, now - last_said_);
  last_said_ = now;
}

std::chrono::milliseconds client_session::silence_limit() const { return home_.chosen().interval * 3 / 2; }

void client_session::leave(std::optional<wire::time_point> broken) {
  if (state_ == state::active) home_.is_no_longer_active();
  home_.counts().nonsense -= nonsense_open_;  // whose answers are lost
  heartbeat_ = {};
  end();
  home_.orders().lost(number_, broken);
  home_.replace(place_);
}

}  // namespace load
