// SPDX-License-Identifier: MIT
// The cost of one sleep of a coroutine: 10,000 coroutines on the one thread of an io_context sleep for 1 to 21 ms,
// again and again: by steady_timer, and by async_sleep_for on engines that are set up in several ways.
//
// Read: Time is the CPU time of the whole process for one sleep, the engine's thread included; `per_second` is how many
// sleeps ended in a second. steady_timer is the bound. Half of the time of each is the miss on the coroutine's frame.
#include <detent/asio.hpp>
#include <detent/asio_drive.hpp>
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

#include "support/process_cost.hpp"
#include "support/random.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;
namespace asio = boost::asio;
using asio::use_awaitable;

constexpr int coroutines = 10'000;

class by_steady_timer {
 public:
  explicit by_steady_timer(asio::io_context& io) : io_(io) {}

  class sleeper {
   public:
    explicit sleeper(by_steady_timer& of) : timer_(of.io_) {}
    auto operator()(detent::duration nap) {
      timer_.expires_after(nap);
      return timer_.async_wait(use_awaitable);
    }

   private:
    asio::steady_timer timer_;
  };

 private:
  asio::io_context& io_;
};

class by_engine {
 public:
  explicit by_engine(detent::engine_options options = {}) : engine_(std::move(options)) {}

  class sleeper {
   public:
    explicit sleeper(by_engine& of) : engine_(of.engine_) {}
    auto operator()(detent::duration nap) { return detent::async_sleep_for(engine_, nap, use_awaitable); }

   private:
    detent::engine& engine_;
  };

 protected:
  detent::engine engine_;
};

struct by_worker : by_engine {
  explicit by_worker(asio::io_context&) {}
};
struct by_sleeping_worker : by_engine {
  explicit by_sleeping_worker(asio::io_context&) : by_engine({.tick = 1ms, .wait = detent::wait_options::sleep()}) {}
};
class by_drive : public by_engine {
 public:
  explicit by_drive(asio::io_context& io, detent::duration tick = 1ns)
      : by_engine({.drive = detent::drive_kind::caller, .tick = tick}), drive_(io, engine_) {}

 private:
  detent::asio_drive drive_;
};
struct by_ticking_drive : by_drive {
  explicit by_ticking_drive(asio::io_context& io) : by_drive(io, 1ms) {}
};

template <class Way>
asio::awaitable<void> sleep_often(Way& way, std::uint64_t seed, std::int64_t times) {
  typename Way::sleeper sleep(way);
  cheap_random random(seed);
  for (std::int64_t i = 0; i < times; ++i)
    co_await sleep(1ms + detent::duration(static_cast<std::int64_t>(random.below(20'000'000))));
}

template <class Way>
void sleep_cost(benchmark::State& state) {
  const std::int64_t rounds = full_or_smoke(30, 1);
  double seconds = 0;
  for (auto _ : state) {
    asio::io_context io(1);
    Way way(io);
    for (int i = 0; i < coroutines; ++i)
      asio::co_spawn(io, sleep_often(way, static_cast<std::uint64_t>(i), rounds), asio::detached);
    const auto began = std::chrono::steady_clock::now();
    const std::int64_t cpu = process_cpu_ns();
    io.run();
    state.SetIterationTime(static_cast<double>(process_cpu_ns() - cpu) * 1e-9 /
                           static_cast<double>(coroutines * rounds));
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  state.counters["per_second"] =
      static_cast<double>(coroutines * rounds * static_cast<std::int64_t>(state.iterations())) / seconds;
}

template <class Way>
void add(const char* name) {
  benchmark::RegisterBenchmark(name, sleep_cost<Way>)
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(static_cast<int>(full_or_smoke(5, 1)));
}

[[maybe_unused]] const bool added = [] {
  add<by_steady_timer>("sleep/steady_timer");
  add<by_worker>("sleep/worker");
  add<by_sleeping_worker>("sleep/worker_1ms_sleep");
  add<by_drive>("sleep/drive");
  add<by_ticking_drive>("sleep/drive_1ms");
  return true;
}();

}  // namespace
