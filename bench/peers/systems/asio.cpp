// SPDX-License-Identifier: MIT
// Boost.Asio: steady_timer on an io_context with a thread of its own. Each thread arms its own timer objects, which
// Asio allows; or all is posted to the io_context's thread.
#include <utility>  // Asio 1.74 uses std::exchange and does not include it

#include <boost/asio.hpp>
#include <boost/version.hpp>

#include <atomic>
#include <thread>

#include "../works/all.hpp"
#include "handover.hpp"

namespace {

using namespace peers;
using boost::asio::io_context;
using boost::asio::steady_timer;
using work_guard = boost::asio::executor_work_guard<io_context::executor_type>;

class own_timers {
 public:
  using slot = steady_timer;
  static constexpr bool slot_holds_timer = true;

  std::vector<slot> slots(std::size_t count) {
    std::vector<slot> made;
    made.reserve(count);
    for (std::size_t i = 0; i < count; ++i) made.emplace_back(context_);
    return made;
  }
  void settle() {
    // (1) acquire: pairs with (2).
    while (ended_.load(std::memory_order_acquire) < cancelled_.load(std::memory_order_relaxed)) pause();
  }
  void stop() {
    context_.stop();
    thread_.join();
  }

  class producer {
   public:
    explicit producer(own_timers& to) : to_(to) {}
    void schedule_after(slot& at, nanoseconds delay, const argument& work) {
      at.expires_after(delay);
      arm(at, work);
    }
    void schedule_at(slot& at, std::int64_t deadline_ns, const argument& work) {
      at.expires_at(steady_timer::time_point(nanoseconds(deadline_ns)));
      arm(at, work);
    }
    void cancel(slot& at) {
      reported_ += at.cancel();
      if (reported_ < between_looks) return;
      flush();
      to_.let_it_catch_up();
    }
    void flush() {
      to_.cancelled_.fetch_add(reported_, std::memory_order_relaxed);  // relaxed: a counter
      reported_ = 0;
    }

   private:
    static constexpr std::uint64_t between_looks = 64;

    void arm(slot& at, const argument& work) {
      at.async_wait([to = &to_, work](const boost::system::error_code& cancelled) {
        if (cancelled) {
          to->ended();
        } else {
          work();
        }
      });
    }

    own_timers& to_;
    std::uint64_t reported_ = 0;
  };

 private:
  static constexpr std::uint64_t most_behind = 65536;

  static void pause() { sleep_until_ns(steady_ns() + 20'000); }

  void ended() {
    // (2) release: pairs with (1). Only one thread writes, so no exchange is needed, and the load is relaxed.
    ended_.store(ended_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  // Keeps a producer that is faster than the context's thread from filling the memory with cancelled waits.
  void let_it_catch_up() {
    // relaxed: only the approximate distance matters.
    while (cancelled_.load(std::memory_order_relaxed) > ended_.load(std::memory_order_relaxed) + most_behind) pause();
  }

  alignas(64) std::atomic<std::uint64_t> cancelled_{0};
  alignas(64) std::atomic<std::uint64_t> ended_{0};
  io_context context_;
  work_guard work_{context_.get_executor()};
  std::thread thread_{[this] { context_.run(); }};
};

class posted {
 public:
  struct timer {
    explicit timer(io_context& on) : waits(on) {}
    steady_timer waits;
    argument work;
  };

  explicit posted(handover<posted>& owner) : owner_(owner) {}

  std::vector<timer> make_timers(std::size_t count) {
    std::vector<timer> made;
    made.reserve(count);
    for (std::size_t i = 0; i < count; ++i) made.emplace_back(context_);
    return made;
  }
  void run() { context_.run(); }
  void quit() { context_.stop(); }
  void close() {}
  void wake() {
    boost::asio::post(context_, [this] { owner_.take_up(); });
  }
  void begin_batch() {}
  void start(timer& at, const due& when, const argument& work) {
    at.work = work;
    at.waits.expires_at(steady_timer::time_point(nanoseconds(when.deadline_ns)));
    at.waits.async_wait([&at](const boost::system::error_code& cancelled) {
      if (!cancelled) at.work();
    });
  }
  void stop(timer& at) { at.waits.cancel(); }

 private:
  handover<posted>& owner_;
  io_context context_{1};
  work_guard work_{context_.get_executor()};
};

std::string version() {
  return std::to_string(BOOST_VERSION / 100000) + "." + std::to_string(BOOST_VERSION / 100 % 1000);
}

peers::system asio() {
  peers::system made{
      .name = "asio",
      .version = version(),
      .how =
          "each thread arms and cancels steady_timer objects of its own, which distinct objects allow, and one thread "
          "runs the io_context: no hand-over at all; objects are reused; jemalloc; timer slack 1 ns",
      .works = {}};
  add_works(made, {}, [](std::size_t) { return own_timers(); });
  return made;
}

peers::system asio_post() {
  peers::system made{
      .name = "asio-post",
      .version = version(),
      .how =
          "steady_timer objects belong to the io_context's thread; other threads' commands go through "
          "moodycamel::ConcurrentQueue with producer tokens and one post() for up to 64; concurrency hint 1; objects "
          "are reused; jemalloc; timer slack 1 ns",
      .works = {}};
  add_works(made, {}, [](std::size_t) { return handover<posted>(); });
  return made;
}

}  // namespace

int main(int count, char** words) {
  return serve({words, static_cast<std::size_t>(count)},
               {{.name = "asio", .make = asio}, {.name = "asio-post", .make = asio_post}});
}
