// SPDX-License-Identifier: MIT
// A correct program, of which ThreadSanitizer sees all but the library: executors of the program's own, stop tokens.
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "untold.hpp"

using namespace std::chrono_literals;

namespace {

constexpr int rounds = 100;

// As a program writes it: a queue, a lock, threads. Takes so many at once.
class own_pool final : public detent::executor {
 public:
  explicit own_pool(std::size_t room) : room_(room) {
    for (int t = 0; t < 2; ++t) threads_.emplace_back([this] { work(); });
  }
  ~own_pool() override {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    filled_.notify_all();
    for (std::thread& each : threads_) each.join();
  }
  bool execute(detent::fired_timer&& work) noexcept override {
    std::lock_guard lock(mutex_);
    ++offered_;
    if (queue_.size() >= room_) return false;
    queue_.push_back(std::move(work));
    filled_.notify_one();
    return true;
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      filled_.wait(lock, [this] { return closed_ || !queue_.empty(); });
      if (queue_.empty()) return;
      detent::fired_timer next = std::move(queue_.front());
      queue_.pop_front();
      const bool dropped = ++taken_ % 16 == 0;
      lock.unlock();
      if (!dropped) next();
      std::optional<detent::fired_timer> gone(std::move(next));
      gone.reset();
      lock.lock();
    }
  }

  const std::size_t room_;
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<detent::fired_timer> queue_;
  bool closed_ = false;
  int offered_ = 0, taken_ = 0;
  std::vector<std::thread> threads_;
};

void what_an_executor_runs_and_drops(detent::refusal_policy refused, std::size_t room) {
  for (int i = 0; i < rounds / 10; ++i) {
    std::vector<int> ran(50);
    int beats = 0;
    detent::engine engine({.executor = std::make_shared<own_pool>(room), .on_refusal = refused});
    std::vector<detent::timer> made;
    for (int& each : ran)
      made.push_back(engine.schedule_after(0ns, [&each, own = std::make_unique<int>(1)] { each += *own; }));
    detent::scoped_timer heart(engine.schedule_at_fixed_rate(0ns, 20us, [&beats] { ++beats; }));
    std::this_thread::sleep_for(100us);
    for (std::size_t k = 0; k < made.size(); k += 2) {
      made[k].cancel_and_wait();
      ran[k] = 7;
    }
    for (std::size_t k = 1; k < made.size(); k += 4) made[k].restart_after(1h);
    if (i % 2 == 0) {
      engine.stop();
      for (int each : ran) EXPECT(each == 7 || each <= 1);
      EXPECT(beats >= 0);
    }
  }
}

// Keeps what it was given, until the engine is gone.
class keeping final : public detent::executor {
 public:
  explicit keeping(std::vector<detent::fired_timer>& kept) : kept_(kept) {}
  bool execute(detent::fired_timer&& work) noexcept override {
    kept_.push_back(std::move(work));
    taken.add();
    return true;
  }
  untold_count taken;

 private:
  std::vector<detent::fired_timer>& kept_;
};

void what_outlives_the_engine_does_nothing() {
  for (int i = 0; i < rounds / 10; ++i) {
    std::vector<detent::fired_timer> kept;
    int ran = 0;
    auto to = std::make_shared<keeping>(kept);
    {
      detent::engine engine({.executor = to});
      for (int k = 0; k < 10; ++k) engine.schedule_after(0ns, [&ran, own = std::make_unique<int>(k)] { ++ran; });
      to->taken.await(10);
    }
    std::thread([&] {
      for (detent::fired_timer& each : kept) each();
      kept.clear();
    }).join();
    EXPECT(ran == 0);
  }
}

void a_stop_request_cancels(detent::engine& engine) {
  for (int i = 0; i < rounds; ++i) {
    std::stop_source source;
    auto used = std::make_shared<std::string>("used");
    untold_flag ran;
    int before = i;
    detent::timer timer = engine.schedule_after(i % 2 == 0 ? 30us : 1h, source.get_token(), [&, used] {
      used->append(std::to_string(before));
      ran.raise();
    });
    std::thread other([&] {
      if (i % 3 == 0) std::this_thread::sleep_for(30us);
      source.request_stop();
    });
    other.join();
    timer.cancel_and_wait();
    used->clear();
    EXPECT(!ran.up() || i % 2 == 0);
  }
}

}  // namespace

int main() {
  what_an_executor_runs_and_drops(detent::refusal_policy::run_inline, 4);
  what_an_executor_runs_and_drops(detent::refusal_policy::retry, 4);
  what_an_executor_runs_and_drops(detent::refusal_policy::drop, 1000);
  what_outlives_the_engine_does_nothing();
  detent::engine engine;
  a_stop_request_cancels(engine);
  detent::engine on_a_pool({.executor = std::make_shared<detent::thread_pool>()});
  a_stop_request_cancels(on_a_pool);
}
