// SPDX-License-Identifier: MIT
// The cost of one run of a plain timer on an io_context: 10,000 timers of 1 to 21 ms, each armed again in its callback,
// on the one thread of a context: steady_timer, an engine with a worker that posts to the context, and an engine that
// the context drives.
//
// Read: Time is the CPU time of the whole process for one run, the engine's thread included; `per_second` is how many
// runs ended in a second. steady_timer is the bound. Where a loop is idle between its timers, wake-ups are most of it:
// what a tick of 1 ms saves against one of 1 ns is the price of those.
#include <detent/asio.hpp>
#include <detent/asio_drive.hpp>
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "support/process_cost.hpp"
#include "support/random.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;
namespace asio = boost::asio;

constexpr std::int64_t timers = 10'000;

class naps {
 public:
  explicit naps(std::int64_t runs) : left_(runs) {}
  // Returns whether it was the last.
  bool count_run() { return --left_ == 0; }
  detent::duration next() { return 1ms + detent::duration(static_cast<std::int64_t>(random_.below(20'000'000))); }

 private:
  cheap_random random_{1};
  std::int64_t left_;
};

class by_steady_timer {
 public:
  explicit by_steady_timer(asio::io_context& io) : io_(io) {}
  void begin(naps& all) {
    for (std::int64_t i = 0; i < timers; ++i) arm(timers_.emplace_back(io_), all);
  }

 private:
  void arm(asio::steady_timer& one, naps& all) {
    one.expires_after(all.next());
    one.async_wait([this, &one, &all](const boost::system::error_code&) {
      if (all.count_run()) return io_.stop();
      arm(one, all);
    });
  }

  asio::io_context& io_;
  std::deque<asio::steady_timer> timers_;
};

class by_engine {
 public:
  by_engine(asio::io_context& io, detent::engine_options options)
      : io_(io), work_(io.get_executor()), engine_(std::move(options)) {}
  void begin(naps& all) {
    for (std::int64_t i = 0; i < timers; ++i) {
      engine_.schedule_after(all.next(), [this, &all](detent::firing& run) {
        if (all.count_run()) return io_.stop();
        run.rearm_after(all.next());
      });
    }
  }

 protected:
  asio::io_context& io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  detent::engine engine_;
};

template <std::size_t AtOnce>
struct by_worker : by_engine {
  explicit by_worker(asio::io_context& io)
      : by_engine(io, {.tick = 1ms,
                       .wait = detent::wait_options::sleep(),
                       .executor = detent::asio_executor(io.get_executor(), AtOnce)}) {}
};
class by_drive : public by_engine {
 public:
  explicit by_drive(asio::io_context& io, detent::duration tick = 1ns)
      : by_engine(io, {.drive = detent::drive_kind::caller, .tick = tick}), drive_(io, engine_) {}

 private:
  detent::asio_drive drive_;
};
struct by_ticking_drive : by_drive {
  explicit by_ticking_drive(asio::io_context& io) : by_drive(io, 1ms) {}
};

template <class Way>
void plain_cost(benchmark::State& state) {
  const std::int64_t runs = timers * full_or_smoke(30, 1);
  double seconds = 0;
  for (auto _ : state) {
    asio::io_context io(1);
    naps all(runs);
    Way way(io);
    way.begin(all);
    const auto began = std::chrono::steady_clock::now();
    const std::int64_t cpu = process_cpu_ns();
    io.run();
    state.SetIterationTime(static_cast<double>(process_cpu_ns() - cpu) * 1e-9 / static_cast<double>(runs));
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  state.counters["per_second"] = static_cast<double>(runs * static_cast<std::int64_t>(state.iterations())) / seconds;
}

template <class Way>
void add(const char* name) {
  benchmark::RegisterBenchmark(name, plain_cost<Way>)
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(static_cast<int>(full_or_smoke(5, 1)));
}

[[maybe_unused]] const bool added = [] {
  add<by_steady_timer>("plain/steady_timer");
  add<by_worker<1>>("plain/worker_1ms_sleep");
  add<by_worker<64>>("plain/worker_1ms_sleep_64_at_once");
  add<by_drive>("plain/drive");
  add<by_ticking_drive>("plain/drive_1ms");
  return true;
}();

}  // namespace
