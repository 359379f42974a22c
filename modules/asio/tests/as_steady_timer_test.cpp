// SPDX-License-Identifier: MIT
// Sleeps do what Asio's unit tests expect of a steady_timer's waits, on an engine with a worker and on one that the
// context drives; compiled for each Asio.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "drive_library.hpp"

namespace detent {
namespace {

struct numbered {};  // a token whose calls return a number

}  // namespace
}  // namespace detent

template <class... Signatures>
class detent::net::async_result<detent::numbered, Signatures...> {
 public:
  template <class Initiation, class... Args>
  static int initiate(Initiation&&, detent::numbered, Args&&...) {
    return 42;
  }
};

namespace detent {
namespace {

using namespace std::chrono_literals;
using net::bind_cancellation_slot;
using net::bind_executor;
using net::io_context;

struct on_worker {
  explicit on_worker(io_context&) {}
  detent::engine engine;
};
struct on_drive {
  explicit on_drive(io_context& context) : drive(context, engine) {}
  detent::engine engine{{.drive = drive_kind::caller}};
  asio_drive drive;
};

template <class Rig>
class AsSteadyTimer : public ::testing::Test {
 protected:
  template <class Handler>
  void sleep(duration length, Handler&& handler) {
    async_sleep_for(rig_->engine, length, bind_executor(*context_, std::forward<Handler>(handler)));
  }
  std::size_t run() {
    context_->restart();
    return context_->run();
  }

  std::optional<io_context> context_{std::in_place};
  std::optional<Rig> rig_{std::in_place, *context_};
};
using rigs = ::testing::Types<on_worker, on_drive>;
struct rig_names {
  template <class Rig>
  static std::string GetName(int) {
    return std::is_same_v<Rig, on_worker> ? "Worker" : "Drive";
  }
};
TYPED_TEST_SUITE(AsSteadyTimer, rigs, rig_names);

TYPED_TEST(AsSteadyTimer, NoHandlerIsCalledOutsideOfRun) {
  int count = 0;
  this->sleep(1ms, [&](error_code) { ++count; });
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(count, 0);
  this->run();
  EXPECT_EQ(count, 1);
  this->run();
  EXPECT_EQ(count, 1);
}

TYPED_TEST(AsSteadyTimer, RunReturnsWhenTheLastHandlerHasBeenCalledAndNotBeforeItsTime) {
  int count = 3;
  const time_point begin = clock::now();
  std::function<void(error_code)> decrement = [&](error_code ec) {
    EXPECT_FALSE(ec);
    if (--count != 0) this->sleep(5ms, decrement);
  };
  this->sleep(5ms, decrement);
  this->run();
  EXPECT_EQ(count, 0);
  EXPECT_GE(clock::now() - begin, 15ms);
}

TYPED_TEST(AsSteadyTimer, OneHandlerIsOneThatRunCounts) {
  this->sleep(1ms, [](error_code) {});
  EXPECT_GE(this->run(), 1u);
  EXPECT_EQ(this->run(), 0u);
}

TYPED_TEST(AsSteadyTimer, WhatIsCancelledBeforeRunEndsInRun) {
  net::cancellation_signal signal;
  int aborted = 0, elapsed = 0;
  const auto note = [&](error_code ec) { ++(ec == net::error::operation_aborted ? aborted : elapsed); };
  this->sleep(1h, bind_cancellation_slot(signal.slot(), note));
  this->sleep(1ms, note);
  signal.emit(net::cancellation_type::all);
  EXPECT_EQ(aborted, 0) << "not inside the signal";
  this->run();
  EXPECT_EQ(aborted, 1);
  EXPECT_EQ(elapsed, 1);
}

TYPED_TEST(AsSteadyTimer, AHandlerCancelsALaterOne) {
  net::cancellation_signal signal;
  std::vector<int> order;
  this->sleep(1h, bind_cancellation_slot(signal.slot(), [&](error_code ec) {
                EXPECT_EQ(ec, net::error::operation_aborted);
                order.push_back(2);
              }));
  this->sleep(1ms, [&](error_code) {
    order.push_back(1);
    signal.emit(net::cancellation_type::terminal);
  });
  this->run();
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TYPED_TEST(AsSteadyTimer, ATimeThatHasPassedElapsesAtOnceAndNotInsideTheCall) {
  int count = 0;
  for (const duration length : {duration(0), duration(-1h)})
    this->sleep(length, [&](error_code ec) { count += ec ? 0 : 1; });
  EXPECT_EQ(count, 0);
  this->run();
  EXPECT_EQ(count, 2);
}

TYPED_TEST(AsSteadyTimer, HandlersOfEarlierDeadlinesAreCalledEarlier) {
  std::vector<int> order;
  const time_point begin = clock::now();
  for (int ms : {4, 2, 6}) {
    async_sleep_until(this->rig_->engine, begin + ms * 1ms,
                      bind_executor(*this->context_, [&order, ms](error_code) { order.push_back(ms); }));
  }
  this->run();
  EXPECT_EQ(order, (std::vector{2, 4, 6}));
}

TYPED_TEST(AsSteadyTimer, AnotherThreadMayRunTheContext) {
  std::thread::id called;
  this->sleep(2ms, [&](error_code) { called = std::this_thread::get_id(); });
  std::thread other([&] {
    this->run();
    EXPECT_EQ(called, std::this_thread::get_id());
  });
  other.join();
}

TYPED_TEST(AsSteadyTimer, AFutureIsReadyWhenTheContextHasRun) {
  std::future<void> slept = sleeper(this->rig_->engine, *this->context_).async_sleep_for(1ms, net::use_future);
  EXPECT_EQ(slept.wait_for(0s), std::future_status::timeout);
  this->run();
  EXPECT_NO_THROW(slept.get());
}

TYPED_TEST(AsSteadyTimer, ATokenSaysWhatTheCallReturns) {
  EXPECT_EQ(sleeper(this->rig_->engine, *this->context_).async_sleep_for(1h, numbered()), 42);
}

// Counts what it has allocated and not yet freed.
template <class T>
struct counting_allocator {
  using value_type = T;
  explicit counting_allocator(int& blocks) : blocks(&blocks) {}
  template <class U>
  counting_allocator(const counting_allocator<U>& other) : blocks(other.blocks) {}
  T* allocate(std::size_t n) {
    ++*blocks;
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* memory, std::size_t n) {
    --*blocks;
    std::allocator<T>().deallocate(memory, n);
  }
  bool operator==(const counting_allocator&) const = default;
  int* blocks;
};
struct counting_handler {
  using allocator_type = counting_allocator<int>;
  allocator_type get_allocator() const { return counting_allocator<int>(*blocks); }
  void operator()(error_code) const { ++*called; }
  int *blocks, *called;
};

TYPED_TEST(AsSteadyTimer, MemoryOfHandlersIsFreeAfterTheirCallAndAfterTheContext) {
  int blocks = 0, called = 0;
  for (int i = 0; i < 50; ++i) this->sleep(1ms, counting_handler{&blocks, &called});
  EXPECT_GT(blocks, 0);
  for (int i = 0; i < 50; ++i) this->sleep(1h, counting_handler{&blocks, &called});
  while (called < 50) this->context_->run_one();
  EXPECT_GT(blocks, 0);
  this->context_.reset();
  EXPECT_EQ(blocks, 0);
  EXPECT_EQ(called, 50);
}

}  // namespace
}  // namespace detent
