// SPDX-License-Identifier: MIT
// Makes a single-threaded event loop usable from any thread: commands go through a lock-free queue, and the loop's own
// wake-up call has it drain them, once for as many as have gathered.
#pragma once

#include <concurrentqueue/concurrentqueue.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "../common/process_readings.hpp"
#include "../common/tally.hpp"

namespace peers {

// Returns a deadline's distance from the loop's cached time, never negative.
struct due {
  std::int64_t deadline_ns;
  nanoseconds remaining;
};

// `Loop` adapts one event loop. It has a type `timer` and
//   Loop(handover<Loop>& owner)       calls owner.take_up() on the loop's thread after a wake()
//   make_timers(n)                    any thread, before they are started
//   run(), quit(), close()            the first two on the loop's thread; close() after run() has returned
//   wake()                            any thread
//   begin_batch()                     on the loop's thread: brings its cached time up to date
//   start(timer, when, work), stop(timer)
template <class Loop>
class handover {
 public:
  using slot = typename Loop::timer;
  static constexpr bool slot_holds_timer = true;

  struct command {
    slot* at;
    std::int64_t deadline_ns;  // a deadline, or `cancelled`
    argument work;
  };

  handover() : thread_([this] { loop_.run(); }) {}

  std::vector<slot> slots(std::size_t count) { return loop_.make_timers(count); }

  void settle() {
    // (1) acquire: pairs with (2), so that the loop's work is visible.
    while (taken_.load(std::memory_order_acquire) != given_.load(std::memory_order_relaxed)) pause();
  }

  void stop() {
    quit_.store(true, std::memory_order_relaxed);  // relaxed: ordered by ring() and take_up()
    ring();
    thread_.join();
    loop_.close();
  }

  // Runs on the loop's thread.
  void take_up() {
    // (4) acq_rel: pairs with (3). Commands that were queued before a ring that found the bell set are seen below.
    rung_.exchange(false, std::memory_order_acq_rel);
    loop_.begin_batch();
    const std::int64_t now_ns = steady_ns();
    std::array<command, 256> batch;
    for (std::size_t taken = 0; taken < most_at_once;) {
      const std::size_t found = queue_.try_dequeue_bulk(token_, batch.begin(), batch.size());
      if (found == 0) {
        if (quit_.load(std::memory_order_relaxed)) loop_.quit();  // relaxed: see stop()
        return;
      }
      for (std::size_t i = 0; i < found; ++i) obey(batch[i], now_ns);
      // (2) release: pairs with (1).
      taken_.fetch_add(found, std::memory_order_release);
      taken += found;
    }
    ring();  // the rest comes after the timers that are due by now
  }

  class producer {
   public:
    explicit producer(handover& to) : to_(to), token_(to.queue_) {}

    // The delay counts from the call, not from when the loop drains it.
    void schedule_after(slot& at, nanoseconds delay, const argument& work) {
      schedule_at(at, steady_ns() + delay.count(), work);
    }
    void schedule_at(slot& at, std::int64_t deadline_ns, const argument& work) { push({&at, deadline_ns, work}); }
    void cancel(slot& at) { push({&at, cancelled, {}}); }
    void flush() {
      if (held_back_ == 0) return;
      // relaxed: a counter; the queue carries the data
      to_.given_.fetch_add(held_back_, std::memory_order_relaxed);
      held_back_ = 0;
      to_.ring();
    }

   private:
    void push(const command& order) {
      to_.queue_.enqueue(token_, order);
      if (++held_back_ < between_rings) return;
      flush();
      to_.let_it_catch_up();
    }

    handover& to_;
    moodycamel::ProducerToken token_;
    std::uint64_t held_back_ = 0;
  };

 private:
  static constexpr std::int64_t cancelled = -1;
  static constexpr std::uint64_t between_rings = 64, most_behind = 65536;
  static constexpr std::size_t most_at_once = 8192;

  static void pause() { sleep_until_ns(steady_ns() + 20'000); }

  void obey(const command& order, std::int64_t now_ns) {
    if (order.deadline_ns == cancelled) {
      loop_.stop(*order.at);
    } else {
      const auto remaining = nanoseconds(std::max<std::int64_t>(order.deadline_ns - now_ns, 0));
      loop_.start(*order.at, due{order.deadline_ns, remaining}, order.work);
    }
  }

  void ring() {
    // (3) acq_rel: pairs with (4). A thread that finds it unset wakes the loop; if a thread finds it set, its command
    // is drained anyway.
    if (!rung_.exchange(true, std::memory_order_acq_rel)) loop_.wake();
  }

  // Keeps a producer that is faster than the loop from filling the memory.
  void let_it_catch_up() {
    // relaxed: only the approximate distance matters.
    while (given_.load(std::memory_order_relaxed) - taken_.load(std::memory_order_relaxed) > most_behind) pause();
  }

  moodycamel::ConcurrentQueue<command> queue_;
  moodycamel::ConsumerToken token_{queue_};
  alignas(64) std::atomic<std::uint64_t> given_{0};
  alignas(64) std::atomic<std::uint64_t> taken_{0};
  alignas(64) std::atomic<bool> rung_{false};
  std::atomic<bool> quit_{false};
  Loop loop_{*this};
  std::thread thread_;
};

}  // namespace peers
