// SPDX-License-Identifier: MIT
// Gets a lock that lives in redis, and keeps it: renews the lease at every third of it, and says so when it is lost.
#pragma once

#include "boot_clock.hpp"
#include "redis_link.hpp"
#include "term.hpp"

#include <detent/engine.hpp>
#include <detent/recipes/backoff.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace lease {

struct watchdog_options {
  std::string redis;  // the path of its socket, or HOST:PORT
  std::string lock;
  std::chrono::milliseconds lease{1000};  // the same for all that want this lock

  // The lease counts as over so much earlier than redis has it, for clocks that do not run at one speed.
  detent::duration margin() const { return std::chrono::milliseconds(2) + lease / 50; }
  detent::duration third() const { return detent::duration(lease) / 3; }
};

// Events of the lease, reported on the watchdog's thread. All four are required.
struct watchdog_events {
  std::function<void(const term&)> on_granted;
  std::function<void(const term&)> on_renewed;
  // A courtesy, and perhaps a late one: still_mine() has said no since the term's end, whether this has run or not.
  std::function<void(const term&, boot_time until, std::string_view why)> on_lost;
  std::function<void(std::string_view why)> on_trouble;  // redis did not answer; it is asked again
};

// Has one thread, whose loop waits for redis and for the timers of a caller-driven engine. So every answer and every
// timer is handled on that thread, without a lock.
class watchdog {
 public:
  watchdog(watchdog_options options, watchdog_events events);
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  // Releases what is held, if redis answers.
  ~watchdog();

  // Waits until the lock is ours. Null: stop was requested. One thread, one term at a time.
  std::shared_ptr<term> acquire(const std::stop_token& stop);
  // Ends the term at once; redis gets the release later, and nothing waits for that.
  void release(const std::shared_ptr<term>& ending);

 private:
  // All of these on the watchdog's thread.
  void run();
  void ask();
  void on_asked(const std::string& token, boot_time sent, const redisReply* reply, std::string_view why);
  void hold(std::shared_ptr<term> granted);
  void renew();
  void on_renewed(const std::shared_ptr<term>& of, boot_time sent, const redisReply* reply, std::string_view why);
  void lose(std::string_view why);
  void let_go(const std::shared_ptr<term>& ending);
  void finish();
  void ask_redis(const char* script, const std::string& token, redis_link::answer done);
  boot_time end_of(boot_time sent) const { return sent + options_.lease - options_.margin(); }
  std::string new_token();

  const watchdog_options options_;
  const watchdog_events events_;
  detent::engine engine_{{.name = "watchdog", .drive = detent::drive_kind::caller}};

  // The watchdog's thread's.
  std::shared_ptr<term> held_;
  detent::timer renewal_;  // at every third of the lease, or sooner after a failure
  detent::timer end_;      // of the lease: each renewal moves it later, and it fires if none does
  detent::timer next_ask_;
  detent::recipes::backoff pauses_{{.first = options_.third() / 10, .longest = options_.third()}};
  bool wanted_ = false;
  bool ending_ = false;
  std::random_device entropy_;

  // Shared with the thread that waits in acquire().
  std::mutex mutex_;
  std::condition_variable_any granted_;
  std::shared_ptr<term> grant_;

  redis_link link_;
  std::jthread thread_;
};

}  // namespace lease
