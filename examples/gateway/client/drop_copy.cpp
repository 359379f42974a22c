// SPDX-License-Identifier: MIT
#include "drop_copy.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "connect.hpp"

namespace load {

using namespace std::chrono_literals;
using wire::message_type;
using wire::tag;

namespace {

constexpr std::size_t most_unsent = 1 << 20;

}  // namespace

drop_copy::drop_copy(crowd& watched, net::event_loop& loop)
    : connection(loop, connect_to(watched.chosen().port), most_unsent), watched_(watched) {
  // The one session that must not be lost by a busy machine has time.
  const std::chrono::milliseconds interval = std::min<std::chrono::milliseconds>(10 * watched.chosen().interval, 60s);
  write(message_type::logon)
      .with(tag::sender, "DROPCOPY")
      .with(tag::heartbeat_interval, interval.count())
      .with(tag::drop_copy, 'Y');
  heartbeat_ = detent::scoped_timer(
      loop.engine().schedule_at_fixed_rate(interval, interval, [this] { write(message_type::heartbeat); }));
}

void drop_copy::on_line(std::string_view line) {
  std::string problem;
  const auto news = wire::message::parse(line, problem);
  if (!news) return on_lost(problem);
  if (news->type() == message_type::report) return watched_.orders().copied(*news);
  if (news->type() == message_type::logon) on_ = true;
  if (news->type() == message_type::test_request) write(message_type::heartbeat);
  if (news->type() == message_type::logout) on_lost(news->text(tag::text).value_or("logged out"));
}

void drop_copy::on_lost(std::string_view why) {
  watched_.found().broken("the drop copy has ended: {}", why);
  heartbeat_ = {};
  on_ = false;
  end();
}

}  // namespace load
