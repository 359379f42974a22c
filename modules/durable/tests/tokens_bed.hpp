// SPDX-License-Identifier: MIT
// A node in virtual time whose handlers may end their timers in transactions.
#pragma once

#include "transactions.hpp"

#include <detent/manual_clock.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace durable_test {

using detent::wall_time;

inline constexpr wall_time new_year{std::chrono::sys_days(std::chrono::year(2027) / 1 / 1)};

inline stored_time stored_at(std::chrono::seconds after) {
  return std::chrono::time_point_cast<stored_time::duration>(new_year) + after;
}

class Tokens : public testing::Test {
 protected:
  detent::manual_clock clock;
  const virtual_time time{&clock, new_year};
  memory data{1, time};
  database rows{data};
  pg_conn open{rows};  // a transaction that goes on
  detent::engine engine{{.manual = &clock}};
  std::vector<std::uint32_t> ran;  // attempts
  std::vector<std::string> died;
  std::unique_ptr<timers> on;

  void start(timers::handler_function handler, handler_options how = {.max_attempts = 3}) {
    on.reset();
    on = std::make_unique<timers>(
        engine, std::make_shared<transactional>(data.connect(), rows),
        options{.time = time, .on_dead = [this](const dead_timer& its) { died.emplace_back(its.why); }});
    on->handle(
        "h",
        [this, handler = std::move(handler)](job& of) {
          ran.push_back(of.attempt());
          return handler(of);
        },
        std::move(how));
    on->declare("hourly", detent::schedule::quartz("0 0 * * * ?"));
    on->start();
  }
  void start_with(timers::handler_function handler) {
    start(std::move(handler));
    on->schedule_after(1s, "h", {}, {.key = "k"});
  }
  void pass(detent::duration length) { clock.run_for(length, engine); }
  std::size_t left() { return on->list({}).size(); }
  bool finish(const job& of) {
    pg_conn in{rows};
    const bool finished = of.finish_in(&in);
    in.commit();
    return finished;
  }
};

}  // namespace durable_test
