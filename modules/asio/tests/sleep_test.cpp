// SPDX-License-Identifier: MIT
// async_sleep_for and async_sleep_until with callbacks and futures, and what ends them; compiled for both Asios.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <memory_resource>
#include <optional>
#include <thread>

#include "asio_library.hpp"
#include "support/drive_eventually.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::eventually;
using net::io_context;
namespace error = net::error;

// Records what a handler was passed, on which thread, and how often it was called.
struct outcome {
  int calls = 0;
  error_code result;
  std::thread::id thread;

  auto handler() {
    return [this](error_code ec) {
      ++calls;
      result = ec;
      thread = std::this_thread::get_id();
    };
  }
  auto handler_on(io_context& context) { return net::bind_executor(context, handler()); }
};

TEST(AsioSleep, CompletesAtItsDeadlineAndNotBefore) {
  io_context context;
  drive::virtual_engine rig;
  outcome after, until;
  async_sleep_for(rig.engine, 10ns, after.handler_on(context));
  async_sleep_until(rig.engine, at(20), until.handler_on(context));
  rig.poll_at(at(9));
  context.poll();
  EXPECT_EQ(after.calls, 0);
  rig.poll_at(at(19));
  EXPECT_EQ(after.calls, 0) << "inside the engine's callback";
  context.poll();
  EXPECT_EQ(after.calls, 1);
  EXPECT_FALSE(after.result);
  EXPECT_EQ(until.calls, 0);
  rig.poll_at(at(20));
  context.poll();
  EXPECT_EQ(until.calls, 1);
  EXPECT_FALSE(until.result);
}

TEST(AsioSleep, CompletesOnItsHandlersExecutorAndNeverInsideTheInitiation) {
  io_context context;
  engine worker;
  outcome mine;
  net::post(context, [&] {
    async_sleep_for(worker, 0ns, mine.handler_on(context));
    EXPECT_EQ(mine.calls, 0);
  });
  context.run();
  EXPECT_EQ(mine.calls, 1);
  EXPECT_FALSE(mine.result);
  EXPECT_EQ(mine.thread, std::this_thread::get_id());
}

TEST(AsioSleep, IsOutstandingWorkOfItsContext) {
  io_context context;
  drive::virtual_engine rig;
  outcome mine;
  async_sleep_for(rig.engine, 30ms, mine.handler_on(context));
  rig.poll_at(at(30ms) - 1ns);
  EXPECT_EQ(context.poll(), 0u);
  EXPECT_FALSE(context.stopped()) << "run() would not wait";
  rig.poll_at(at(30ms));
  EXPECT_EQ(context.run(), 1u);
  EXPECT_EQ(mine.calls, 1);
  EXPECT_TRUE(context.stopped());
}

TEST(AsioSleep, RunsOnNoThreadOfTheEnginesWhereItHasNoExecutor) {
  std::atomic<std::thread::id> ran{}, worker_thread{};
  engine worker;
  worker.schedule_after(0ns, [&] { worker_thread = std::this_thread::get_id(); });
  EXPECT_TRUE(eventually([&] { return worker_thread.load() != std::thread::id{}; }));
  async_sleep_for(worker, 1us, [&](error_code) { ran = std::this_thread::get_id(); });
  EXPECT_TRUE(eventually([&] { return ran.load() != std::thread::id{}; }));
  EXPECT_NE(ran.load(), worker_thread.load());
}

TEST(AsioSleep, BreaksAFutureWithAnErrorWhenTheEngineEnds) {
  std::optional<engine> worker(std::in_place);
  std::future<void> done = async_sleep_for(*worker, 1h, net::use_future);
  worker.reset();
  try {
    done.get();
    FAIL() << "no error";
  } catch (const system_error& failure) {
    EXPECT_EQ(failure.code(), error::operation_aborted);
  }
}

TEST(AsioSleep, NeverReportsARefusalInsideTheInitiation) {
  io_context context;
  drive::virtual_engine rig({.max_pending = 1});
  rig.engine.schedule_at(at(1), [] {});
  outcome refused;
  net::post(context, [&] {  // where the handler might run at once
    async_sleep_for(rig.engine, 1ns, refused.handler_on(context));
    EXPECT_EQ(refused.calls, 0);
  });
  context.run();
  EXPECT_EQ(refused.calls, 1);
  EXPECT_EQ(refused.result, error::no_buffer_space);
}

TEST(AsioSleep, HasAReasonForEachRefusal) {
  EXPECT_EQ(detail::refusal(errc::capacity_exceeded), detail::ending::no_space);
  EXPECT_EQ(detail::refusal(errc::out_of_memory), detail::ending::no_memory);
  EXPECT_EQ(detail::refusal(errc::stopped), detail::ending::aborted);
  EXPECT_EQ(detail::refusal(errc::forked), detail::ending::unsupported);
}

// A handler whose memory comes from a resource that counts, and that holds what it captured.
class counting_resource : public std::pmr::memory_resource {
 public:
  int live = 0, made = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    ++live;
    ++made;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    --live;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

struct allocating_handler {
  using allocator_type = std::pmr::polymorphic_allocator<std::byte>;
  allocator_type memory;
  int* live_inside;
  counting_resource* resource;

  allocator_type get_allocator() const noexcept { return memory; }
  void operator()(error_code) { *live_inside = resource->live; }
};

TEST(AsioSleep, LivesInMemoryOfItsHandlersAllocatorWhichIsFreeBeforeTheHandlerRuns) {
  io_context context;
  counting_resource resource;
  int live_inside = -1;
  drive::virtual_engine rig;
  async_sleep_for(rig.engine, 1ns, net::bind_executor(context, allocating_handler{&resource, &live_inside, &resource}));
  EXPECT_EQ(resource.live, 1);
  rig.poll_at(at(1));
  context.run();
  EXPECT_EQ(live_inside, 0);
  EXPECT_EQ(resource.live, 0);
  EXPECT_EQ(resource.made, 1);
}

TEST(AsioSleep, OfManyThreadsCompletesEachOnceOnItsStrand) {
  net::thread_pool pool(2);
  auto strand = net::make_strand(pool);
  int plain = 0;  // a race if two handlers ran at once
  {
    engine worker;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 2000; ++i)
          async_sleep_for(worker, i * 1us, net::bind_executor(strand, [&](error_code) { ++plain; }));
      });
    }
    for (std::thread& each : threads) each.join();
    EXPECT_TRUE(eventually([&] { return worker.metrics().fired != 0; }));
  }  // aborts what is pending
  pool.join();
  EXPECT_EQ(plain, 6000);
}

}  // namespace
}  // namespace detent
