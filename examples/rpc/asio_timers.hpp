// SPDX-License-Identifier: MIT
// The timers of the RPC client, by boost::asio::steady_timer.
#pragma once

#include "coroutines.hpp"
#include "mailbox.hpp"
#include "timer_ledger.hpp"

#include <chrono>
#include <optional>

namespace rpc {

class asio_timers {
 public:
  static constexpr const char* name = "asio";

  explicit asio_timers(asio::io_context& io) : io_(io) {}

  steady::time_point now() const { return steady::now(); }
  awaitable<void> sleep(steady::duration delay) {
    const steady::time_point deadline = now() + delay;
    asio::steady_timer timer(io_, deadline);
    ++ledger_.armed;
    co_await timer.async_wait(use_awaitable);
    ledger_.fire(deadline, now());
  }

  // Posts `what` at the deadline, unless it is destroyed before.
  class alarm {
   public:
    // The handler is called in any case, after the alarm is gone as well, and then perhaps without an error, if the
    // time had elapsed already. So it owns a share of the mailbox and never touches the alarm.
    alarm(asio_timers& timers, steady::time_point deadline, const mailbox& to, event what)
        : timer_(timers.io_, deadline) {
      ++timers.ledger_.armed;
      timer_.async_wait([&timers, deadline, to, what](error_code cancelled) {
        if (cancelled) {
          ++timers.ledger_.disarmed;
        } else {
          timers.ledger_.fire(deadline, timers.now());
          to.post(what);
        }
      });
    }

   private:
    asio::basic_waitable_timer<steady, asio::wait_traits<steady>, asio::io_context::executor_type> timer_;
  };

  const timer_ledger& ledger() const { return ledger_; }
  // It keeps no counts of its own.
  std::optional<bool> agrees() const { return std::nullopt; }

 private:
  asio::io_context& io_;
  timer_ledger ledger_;
};

}  // namespace rpc
