// SPDX-License-Identifier: MIT
#include "session.hpp"

#include <fmt/format.h>

#include <string>

#include "order_entry.hpp"
#include "server.hpp"

namespace gateway {

using namespace std::chrono_literals;
using wire::message_type;
using wire::tag;

namespace {

constexpr std::size_t most_unread = 1 << 20;               // bytes of reports that a client may leave unread
constexpr std::size_t most_unread_by_drop_copy = 1 << 26;  // which gets everybody's
constexpr auto time_to_log_on = 5s;
constexpr std::int64_t shortest_interval = 100, longest_interval = 60'000;  // ms

// Longer than the client's heartbeat interval, to allow for the way.
std::chrono::milliseconds silence_limit(std::chrono::milliseconds interval) { return interval + interval / 2; }

}  // namespace

session::session(server& home, net::event_loop& loop, net::descriptor socket)
    : connection(loop, std::move(socket), most_unread),
      home_(home),
      trader_{*this, detent::timer_group(loop.engine())} {
  silence_ = trader_.timers.schedule_after(time_to_log_on, [this] { log_out("no logon came"); });
}

// Any sign of life counts. This is the commonest call into the engine: one exchange of 16 bytes, as nearly every one of
// these timers is moved on long before it would fire.
void session::on_bytes() {
  if (interval_ == 0ms) return;
  silence_.restart_after(silence_limit(interval_));
  test_is_open_ = false;
}

void session::on_line(std::string_view line) {
  std::string problem;
  if (const auto request = wire::message::parse(line, problem)) {
    on_message(*request);
  } else {
    reject(problem);
  }
}

void session::on_too_long() { reject("the line is too long"); }

void session::on_lost(std::string_view why) { finish(why); }

void session::on_message(const wire::message& request) {
  if (request.type() == message_type::logon) return on_logon(request);
  if (interval_ == 0ms) return reject("not logged on");
  switch (request.type()) {
    case message_type::heartbeat: return;
    case message_type::test_request: {
      auto answer = write(message_type::heartbeat);
      if (const auto id = request.text(tag::test_id)) answer.with(tag::test_id, *id);
      return;
    }
    case message_type::logout: return log_out("logged out");
    case message_type::new_order:
    case message_type::cancel_order:
    case message_type::replace_order: {
      const std::string_view problem = enter_order(home_.book(), trader_, request, loop().engine().now());
      if (!problem.empty()) reject(problem);
      return;
    }
    default: return reject(fmt::format("type '{}' is unknown", static_cast<char>(request.type())));
  }
}

void session::on_logon(const wire::message& request) {
  if (interval_ != 0ms) return reject("logged on already");
  const auto name = request.text(tag::sender);
  const auto interval = request.number(tag::heartbeat_interval);
  if (!name) return reject("49 is missing");
  if (!interval || *interval < shortest_interval || *interval > longest_interval)
    return reject(fmt::format("108 must be {} to {} milliseconds", shortest_interval, longest_interval));

  trader_.name = *name;
  interval_ = std::chrono::milliseconds(*interval);
  write(message_type::logon).with(tag::sender, *name).with(tag::heartbeat_interval, *interval);
  if (request.letter(tag::drop_copy) == 'Y') {
    home_.book().add_drop_copy(trader_);
    set_output_limit(most_unread_by_drop_copy);
  }
  silence_.cancel();
  silence_ = trader_.timers.schedule_after(silence_limit(interval_), [this](detent::firing& run) { on_silence(run); },
                                           {.label = home_.silence_label()});
  trader_.timers.schedule_at_fixed_rate(interval_, interval_, [this](detent::firing& run) { on_heartbeat_due(run); },
                                        {.label = home_.heartbeat_label()});
}

// On the grid of the logon, whatever happens in between: after a stop one heartbeat stands for the slots missed.
void session::on_heartbeat_due(const detent::firing& run) {
  home_.count_missed(run.missed());
  write(message_type::heartbeat)
      .with(tag::sending_time, run.started())
      .with(tag::slot, run.deadline())
      .with(tag::missed, run.missed());
}

void session::on_silence(detent::firing& run) {
  // After this process was stopped everybody looks dead. What waits in the kernel is a sign of life, too.
  if (has_unread_input()) return run.rearm_after(silence_limit(interval_));
  if (test_is_open_) {
    home_.count_dead();
    return log_out("silent, and no answer to the test request");
  }
  test_is_open_ = true;
  write(message_type::test_request).with(tag::test_id, ++tests_).with(tag::sending_time, run.started());
  run.rearm_after(interval_);
}

void session::reject(std::string_view why) {
  home_.count_reject();
  write(message_type::reject).with(tag::text, why);
}

void session::log_out(std::string_view why) {
  write(message_type::logout).with(tag::sending_time, loop().engine().now()).with(tag::text, why);
  finish(why);
}

void session::finish(std::string_view why) {
  end();
  trader_.timers.cancel_all();  // heartbeat, silence and all expiries, in one step
  home_.book().remove_drop_copy(trader_);
  home_.book().cancel_all(trader_, why);
  home_.let_go(*this);
}

}  // namespace gateway
