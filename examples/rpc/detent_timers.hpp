// SPDX-License-Identifier: MIT
// The timers of the RPC client, by detent.
#pragma once

#include "coroutines.hpp"
#include "mailbox.hpp"
#include "timer_ledger.hpp"

#include <detent/asio.hpp>
#include <detent/detent.hpp>

#include <optional>
#include <utility>

namespace rpc {

// Callbacks run on the thread that runs `io`. Must not outlive it.
class detent_timers {
 public:
  static constexpr const char* name = "detent";

  explicit detent_timers(asio::io_context& io) : detent_timers(io, patient()) {}
  detent_timers(asio::io_context& io, detent::engine_options options) : engine_(on(io, std::move(options))) {}

  detent::time_point now() const { return engine_.now(); }
  awaitable<void> sleep(detent::duration delay) {
    const detent::time_point deadline = now() + delay;
    ++ledger_.armed;
    co_await detent::async_sleep_until(engine_, deadline, use_awaitable);
    ledger_.fire(deadline, now());
  }

  // Posts `what` at the deadline, unless it is destroyed before.
  class alarm {
   public:
    alarm(detent_timers& timers, detent::time_point deadline, const mailbox& to, event what)
        : timers_(timers), deadline_(deadline), to_(to), what_(what) {
      ++timers_.ledger_.armed;
      timer_ = timers_.engine_.schedule_at(deadline, [this] { ring(); });
    }
    alarm(const alarm&) = delete;
    alarm& operator=(const alarm&) = delete;
    // A cancelled callback never starts, even if it waits in the queue of `io`. So `this` may be captured.
    ~alarm() {
      if (timer_.cancel() == detent::cancel_result::cancelled) ++timers_.ledger_.disarmed;
    }

   private:
    void ring() {
      timers_.ledger_.fire(deadline_, timers_.now());
      to_.post(what_);
    }

    detent_timers& timers_;
    detent::time_point deadline_;
    const mailbox& to_;
    event what_;
    detent::timer timer_;
  };

  const timer_ledger& ledger() const { return ledger_; }
  // Returns whether the engine, at rest, has the same counts.
  std::optional<bool> agrees() const {
    const detent::engine_metrics seen = engine_.metrics();
    return seen.scheduled == ledger_.armed && seen.expired == ledger_.fired && seen.cancelled == ledger_.disarmed &&
           seen.pending == 0;
  }
  detent::engine& engine() { return engine_; }

 private:
  // A timeout may come a little later, so the worker never spins.
  static detent::engine_options patient() { return {.name = "rpc_load", .wait = detent::wait_options::sleep()}; }
  static detent::engine_options on(asio::io_context& io, detent::engine_options options) {
    options.executor = detent::asio_executor(io.get_executor(), 64);
    return options;
  }

  timer_ledger ledger_;
  detent::engine engine_;
};

}  // namespace rpc
