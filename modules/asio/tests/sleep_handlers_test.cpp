// SPDX-License-Identifier: MIT
// Sleeps keep what users of steady_timer's async_wait rely on: handlers of each kind, begun from anywhere, each called
// once or given back with all that it holds; compiled for each Asio.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "asio_library.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using net::io_context;

TEST(AsioSleepHandlers, BeginTheNextSleepWithoutRecursion) {
  io_context context;
  drive::virtual_engine rig;
  int left = 1000, depth = 0, deepest = 0;
  struct step {
    io_context& context;
    engine& on;
    int &left, &depth, &deepest;
    void operator()(error_code) const {
      deepest = std::max(deepest, ++depth);
      if (--left > 0) async_sleep_for(on, -1ns, net::bind_executor(context, *this));
      --depth;
    }
  };
  net::bind_executor(context, step{context, rig.engine, left, depth, deepest}).get()({});
  while (left > 0) {
    rig.engine.poll();
    context.restart();
    context.poll();
  }
  EXPECT_EQ(deepest, 1);
}

TEST(AsioSleepHandlers, OfOneDeadlineAreCalledInTheOrderInWhichTheirSleepsBegan) {
  io_context context;
  drive::virtual_engine rig;
  std::vector<int> order;
  for (int i = 0; i < 200; ++i)
    async_sleep_until(rig.engine, at(5), net::bind_executor(context, [&order, i](error_code) { order.push_back(i); }));
  rig.poll_at(at(5));
  context.run();
  ASSERT_EQ(order.size(), 200u);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(AsioSleepHandlers, MayBeMoveOnly) {
  io_context context;
  drive::virtual_engine rig;
  int called = 0;
  async_sleep_for(rig.engine, 1ns, net::bind_executor(context, [&called, owned = std::make_unique<int>(7)](error_code) {
                    called = *owned;
                  }));
  rig.poll_at(at(1));
  context.run();
  EXPECT_EQ(called, 7);
}

TEST(AsioSleepHandlers, AreCalledByThreadsThatRunTheContextWhileOthersBeginSleeps) {
  io_context context;
  auto work = net::make_work_guard(context);
  engine worker;
  std::atomic<int> called{0};
  std::thread runner([&] { context.run(); }), other([&] { context.run(); });
  {
    std::vector<std::thread> beginners;
    for (int t = 0; t < 3; ++t) {
      beginners.emplace_back([&] {
        for (int i = 0; i < 1000; ++i)
          async_sleep_for(worker, duration(i),
                          net::bind_executor(context, [&](error_code ec) { called += ec ? 0 : 1; }));
      });
    }
    for (std::thread& each : beginners) each.join();
  }
  work.reset();
  runner.join();
  other.join();
  EXPECT_EQ(called, 3000);
}

// Counts what it has given out.
template <class T>
struct counting_allocator {
  using value_type = T;
  int* live;

  explicit counting_allocator(int& count) noexcept : live(&count) {}
  template <class U>
  counting_allocator(const counting_allocator<U>& other) noexcept : live(other.live) {}
  T* allocate(std::size_t n) {
    ++*live;
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* memory, std::size_t n) noexcept {
    --*live;
    std::allocator<T>().deallocate(memory, n);
  }
  template <class U>
  bool operator==(const counting_allocator<U>& other) const noexcept {
    return live == other.live;
  }
};
struct counted_handler {
  using allocator_type = counting_allocator<int>;
  int *live, *called;
  allocator_type get_allocator() const noexcept { return allocator_type(*live); }
  void operator()(error_code) const { ++*called; }
};

TEST(AsioSleepHandlers, GiveTheirMemoryBackHoweverTheyEnd) {
  int live = 0, called = 0;
  drive::virtual_engine rig;
  {
    io_context context;
    auto strand = net::make_strand(context);
    for (int i = 0; i < 50; ++i) {
      async_sleep_for(rig.engine, duration(i), net::bind_executor(context, counted_handler{&live, &called}));
      async_sleep_for(rig.engine, duration(i), net::bind_executor(strand, counted_handler{&live, &called}));
    }
    EXPECT_EQ(live, 100);
    rig.poll_at(at(9));
    context.poll();
    EXPECT_EQ(called, 20);
    EXPECT_EQ(live, 80);
    rig.poll_at(at(19));  // queued, but never run
  }
  EXPECT_EQ(called, 20);
  EXPECT_EQ(live, 0);
}

}  // namespace
}  // namespace detent
