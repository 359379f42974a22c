// SPDX-License-Identifier: MIT
// The memory of time limits: of the handler's allocator, free before the handler is called, none of it new in the long
// run; compiled for each Asio.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>

#include "asio_library.hpp"
#include "support/drive_allocations.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using net::io_context;
using net::steady_timer;

// Counts the bytes that it hands out.
template <class T>
struct counted_memory {
  using value_type = T;

  explicit counted_memory(std::size_t& out_bytes, int& out_calls) noexcept : bytes(&out_bytes), calls(&out_calls) {}
  template <class U>
  counted_memory(const counted_memory<U>& other) noexcept : bytes(other.bytes), calls(other.calls) {}

  T* allocate(std::size_t n) {
    *bytes += n * sizeof(T);
    ++*calls;
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* memory, std::size_t n) noexcept {
    *bytes -= n * sizeof(T);
    std::allocator<T>().deallocate(memory, n);
  }
  template <class U>
  bool operator==(const counted_memory<U>& other) const noexcept {
    return bytes == other.bytes;
  }

  std::size_t* bytes;
  int* calls;
};

struct counted_handler {
  using allocator_type = counted_memory<void>;
  allocator_type get_allocator() const noexcept { return allocator_type(bytes, calls); }
  void operator()(error_code) {
    EXPECT_EQ(bytes, 0u);
    ++ended;
  }
  std::size_t& bytes;
  int& calls;
  int& ended;
};

class AsioLimitMemory : public ::testing::Test {
 protected:
  counted_handler handler() { return {bytes_, calls_, ended_}; }

  std::size_t bytes_ = 0;
  int calls_ = 0, ended_ = 0;
  io_context context_;
  drive::virtual_engine rig_;
};

TEST_F(AsioLimitMemory, IsTheHandlersAndFreeBeforeTheHandlerIsCalled) {
  steady_timer quick(context_, 0ns), slow(context_, 1h);
  quick.async_wait(cancel_after(rig_.engine, 10ns, handler()));
  slow.async_wait(cancel_after(rig_.engine, 10ns)(handler()));
  slow.async_wait(cancel_after(rig_.engine, 10ns, {.tag = 1}, handler()));
  EXPECT_GE(calls_, 3);
  EXPECT_NE(bytes_, 0u);
}

TEST_F(AsioLimitMemory, IsFreeBeforeTheHandlerThoughTheTimeIsUpAsTheOperationEnds) {
  steady_timer quick(context_, 0ns);
  quick.async_wait(cancel_after(rig_.engine, 10ns, handler()));
  while (quick.expiry() > steady_timer::clock_type::now()) {
  }
  net::post(context_, [&] { rig_.poll_at(at(10)); });  // the emission follows the completion in the queue
  context_.run();
  EXPECT_EQ(ended_, 1);
  EXPECT_EQ(bytes_, 0u);
}

TEST_F(AsioLimitMemory, GoesWithTheContext) {
  {
    io_context ends;
    steady_timer slow(ends, 1h);
    slow.async_wait(cancel_after(rig_.engine, 10ns, handler()));
    slow.async_wait(cancel_after(rig_.engine, 20ns, handler()));
    rig_.poll_at(at(10));  // with an emission on its way
    EXPECT_NE(bytes_, 0u);
  }
  EXPECT_EQ(bytes_, 0u);
  EXPECT_EQ(ended_, 0);
  EXPECT_EQ(rig_.engine.pending(), 0u);
}

// Tests inside run(), whose thread recycles memory.
class AsioLimitRecycles : public ::testing::Test {
 protected:
  // Each round begins the next one in its handler.
  void expect_nothing_new(const std::function<void(std::function<void()>)>& round) {
    int rounds = 0;
    std::uint64_t before = 0;
    std::function<void()> next = [&] {
      if (++rounds == 20) before = drive::allocations();
      if (rounds < 1000) round([&] { next(); });
    };
    net::post(context_, [&] { next(); });
    context_.run();
    EXPECT_EQ(rounds, 1000);
    EXPECT_EQ(drive::allocations() - before, 0u);
  }

  io_context context_;
  engine worker_;
};

TEST_F(AsioLimitRecycles, WhereOperationsEndInTime) {
  steady_timer quick(context_, 0ns);
  expect_nothing_new([&](std::function<void()> then) {
    quick.async_wait(cancel_after(worker_, 1h, [then = std::move(then)](error_code) { then(); }));
  });
}

TEST_F(AsioLimitRecycles, WhereTheHandlerHasASlot) {
  steady_timer quick(context_, 0ns);
  net::cancellation_signal outer;
  expect_nothing_new([&](std::function<void()> then) {
    quick.async_wait(cancel_after(
        worker_, 1h, net::bind_cancellation_slot(outer.slot(), [then = std::move(then)](error_code) { then(); })));
  });
}

TEST_F(AsioLimitRecycles, WhereTheTimeIsUp) {
  steady_timer slow(context_, 1h);
  expect_nothing_new([&](std::function<void()> then) {
    slow.async_wait(cancel_after(worker_, 1us, [then = std::move(then)](error_code) { then(); }));
  });
}

}  // namespace
}  // namespace detent
