// SPDX-License-Identifier: MIT
// Which thread of an execution runs, and which may. A thread is left only where it says so.
#pragma once

#include "choices.hpp"
#include "fiber.hpp"
#include "memory.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace model {

// Thread 0 is the body of the execution: it makes the others and waits for them.
struct thread : observer {
  enum class state : std::uint8_t { ready, paused, sleeping, joining, ended };

  fiber stack;
  std::function<void()> work;
  std::string name;
  state is = state::ended;
  std::uint32_t stores_when_paused = 0;
  const void* sleeps_on = nullptr;
  std::int64_t wakes_at = 0;
  std::uint32_t asleep_since = 0;
  bool timed_out = false;
};

class scheduler {
 public:
  struct bounds {
    unsigned preemptions;  // of threads that could have gone on
    bool time_passes;      // when nobody can run, the sleeper with the earliest deadline wakes; else none ever does
  };

  explicit scheduler(choices& decide) : decide_(decide) {}

  // Runs `body` as thread 0 until it, and so all others, have ended, or until stop() is called. `stuck` is called by
  // the thread after which nobody can run, and must stop().
  void run(const bounds& limits, const std::function<void()>& body, const std::function<void()>& stuck);
  // Ends the run; does not return. What the threads' stacks hold is dropped.
  [[noreturn]] void stop();
  bool running() const { return current_ != nullptr; }

  // The rest is called from inside the run.
  thread& current() { return *current_; }
  // Null when there are too many.
  thread* start(std::string name, std::function<void()> work);
  // The current thread is about to do something that others notice: another may go first.
  void step() { move_on(true); }
  // Lets others go first, until one of them has stored something.
  void pause();
  // Until woken; `wakes_at` INT64_MAX: for ever.
  void sleep(const void* on, std::int64_t wakes_at);
  // At most `count`, the longest sleepers first.
  void wake(const void* on, int count);
  // Thread 0 only.
  void join();
  void note_store() { ++stores_; }

  std::size_t thread_count() const { return count_; }
  thread& at(std::size_t index) { return threads_[index]; }
  const thread& at(std::size_t index) const { return threads_[index]; }

 private:
  bool may_run(const thread& each) const;
  bool let_time_pass();
  // On to one of the threads that may run; to stay is way 0 and costs nothing, if `prefer_staying`; else the last way.
  void move_on(bool prefer_staying);
  std::size_t find_ways(bool prefer_staying, std::array<thread*, max_threads>& ways);
  void change_to(thread& next);
  static void run_current(void* self);

  choices& decide_;
  fiber outside_;
  std::array<thread, max_threads> threads_;
  std::size_t count_ = 0;
  thread* current_ = nullptr;
  std::function<void()> stuck_;
  bounds limits_{};
  std::uint32_t stores_ = 0;
  std::uint32_t sleepers_ = 0;
};

}  // namespace model
