// SPDX-License-Identifier: MIT
// A correct program, of which ThreadSanitizer sees all but the library: coroutines that sleep.
#include <detent/coroutine.hpp>

#include <coroutine>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "untold.hpp"

using namespace std::chrono_literals;

namespace {

constexpr int rounds = 100;

// Runs at once, and is nobody's.
struct detached {
  struct promise_type {
    detached get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::abort(); }
  };
};

// Is destroyed with its owner, wherever it is suspended.
class owned {
 public:
  struct promise_type {
    owned get_return_object() noexcept { return owned(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::abort(); }
  };
  owned(owned&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  owned& operator=(owned&&) = delete;
  ~owned() {
    if (frame_) frame_.destroy();
  }

 private:
  explicit owned(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
  std::coroutine_handle<promise_type> frame_;
};

detached sleeps_and_adds(detent::engine& engine, std::vector<int>& sums, std::size_t which, untold_count& done) {
  std::string own(30, 'a');
  for (int i = 0; i < 5; ++i) {
    co_await engine.sleep_for(std::chrono::microseconds(10 * i));
    sums[which] += static_cast<int>(own.size());
    own += 'b';
  }
  done.add();
}

void a_coroutine_goes_on_where_callbacks_run(detent::engine_options options) {
  std::vector<int> sums(20);
  {
    detent::engine engine(std::move(options));
    untold_count done;
    for (std::size_t i = 0; i < sums.size(); ++i) sleeps_and_adds(engine, sums, i, done);
    done.await(static_cast<int>(sums.size()));
    engine.stop();
  }
  for (int each : sums) EXPECT(each == 30 + 31 + 32 + 33 + 34);
}

detached sleeps_until_stopped(detent::engine& engine, std::stop_token token, int& before, int& result,
                              untold_count& done) {
  auto own = std::make_unique<int>(1);
  const bool elapsed = co_await engine.sleep_for(before % 2 == 0 ? 1h : 20us, token);
  result = before + (elapsed ? 0 : *own);
  own.reset();
  done.add();
}

void a_stop_request_wakes_it(detent::engine& engine) {
  untold_count done;
  for (int i = 0; i < rounds; ++i) {
    std::stop_source source;
    auto numbers = std::make_unique<std::pair<int, int>>(i, -1);
    sleeps_until_stopped(engine, source.get_token(), numbers->first, numbers->second, done);
    std::thread other([&] { source.request_stop(); });
    other.join();
    done.await(i + 1);
    // After its run, by way of a timer that is fired after it, on the worker.
    untold_flag fired;
    detent::timer after = engine.schedule_after(0ns, [&] {
      EXPECT(numbers->second >= i);
      fired.raise();
    });
    fired.await();
    after.cancel_and_wait();
  }
}

owned sleeps_for_ever(detent::engine& engine, std::stop_token token, int& woken) {
  auto own = std::make_unique<int>(1);
  while (co_await engine.sleep_for(1h, token)) ++woken;
  own.reset();
}

void whoever_owns_it_destroys_it(detent::engine& engine) {
  int woken = 0;
  for (int i = 0; i < rounds; ++i) {
    std::stop_source source;
    owned sleeping = sleeps_for_ever(engine, source.get_token(), woken);
    if (i % 2 == 0) std::this_thread::yield();
    std::thread([gone = std::move(sleeping)] {}).join();
    source.request_stop();
  }
  EXPECT(woken == 0);
}

owned sleeps_until_the_engine_ends(detent::engine& engine, std::stop_token token, int& woken, int& ended) {
  auto own = std::make_unique<int>(1);
  try {
    while (co_await engine.sleep_for(1h, token)) ++woken;
  } catch (const detent::error&) {
    ended += *own;
  }
  own.reset();
}

// Frames that outlive their engine, whose end ends their sleeps.
void the_engine_ends_first() {
  int woken = 0, ended = 0;
  std::stop_source source;
  std::vector<owned> left;
  {
    detent::engine engine;
    for (int i = 0; i < rounds; ++i)
      left.push_back(sleeps_until_the_engine_ends(engine, source.get_token(), woken, ended));
  }
  EXPECT(ended == rounds);
  source.request_stop();
  left.clear();
  EXPECT(woken == 0);
}

}  // namespace

int main() {
  a_coroutine_goes_on_where_callbacks_run({});
  a_coroutine_goes_on_where_callbacks_run(
      {.executor = std::make_shared<detent::thread_pool>(detent::thread_pool_options{.threads = 2})});
  detent::engine engine;
  a_stop_request_wakes_it(engine);
  whoever_owns_it_destroys_it(engine);
  the_engine_ends_first();
}
