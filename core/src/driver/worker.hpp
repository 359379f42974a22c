// SPDX-License-Identifier: MIT
// The worker: an engine's own thread, which drives and waits.
#pragma once

#include "callers/engine_core.hpp"
#include "driver/driver_end.hpp"
#include "driver/waiter.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <thread>

namespace detent::detail {

class driver;

class worker {
 public:
  worker(engine_core& core, driver& drives);

  // Starts the thread, and waits for its report on what it could set up. On failure `why` has the reason, and there is
  // no thread.
  errc start(std::string& why);
  bool is_running() const noexcept { return thread_.joinable(); }
  // Called when the engine is stopped: wakes the thread and waits for its end, or lets it go if called in a callback.
  void join();
  void detach() { thread_.detach(); }
  // Called in the child of a fork, which has no such thread.
  void disown() noexcept { waiter_.disown(); }
  // Returns from sleep so far; any thread may ask.
  std::uint64_t wakeups() const noexcept { return waiter_.wakeups(); }

  // --- Called by drive_until_over(), on the worker's thread
  bool is_over() const noexcept { return core_.stopped(); }
  void answer_bell() noexcept;
  bool has_to_drain() const noexcept;
  void drain_before_firing() noexcept;
  void sweep() noexcept;
  void fire(nanoseconds_t now);
  void fire_due();
  std::optional<nanoseconds_t> wait();

 private:
  void work() noexcept;
  std::optional<nanoseconds_t> wait_for_work();
  bool is_called(nanoseconds_t until) const noexcept;
  void tidy(nanoseconds_t until) noexcept;
  nanoseconds_t look_time() const noexcept;
  std::optional<nanoseconds_t> wait_for_look(nanoseconds_t look, nanoseconds_t until) noexcept;
  bool warm_up(nanoseconds_t until) noexcept;

  engine_core& core_;
  const driver_end in_;
  driver& driver_;
  waiter waiter_;
  // The worker looks for memory that the kernel may have back at most once in each give_back_after, and not at all
  // while nothing has changed since a look that left nothing for the next. So an idle engine looks twice, and then
  // sleeps.
  nanoseconds_t next_look_ = INT64_MIN;
  std::uint32_t surplus_ = 0;  // how many free nodes were in no thread's cache then
  bool left_more_ = false;
  std::thread thread_;
};

}  // namespace detent::detail
