// SPDX-License-Identifier: MIT
// The worker: an engine's own thread, which turns the wheel.
#include "engine_core.hpp"
#include "thread_setup.hpp"

#include <algorithm>
#include <future>

namespace detent::detail {
namespace {

// Taken up on a wake-up when something is due, before it fires.
constexpr std::size_t drain_before_firing = 4096;
constexpr nanoseconds_t retry_after = 1'000'000;

}  // namespace

// Starts the thread and waits for its report on what it could set up.
errc engine_core::start_worker(std::string& why) {
  std::promise<setup_result> report;
  std::future<setup_result> set_up = report.get_future();
  add_reference();  // the worker's own
  try {
    worker_ = std::thread([this, &report] {
      setup_result result = set_up_worker_thread(options_.name, options_.cpu, options_.realtime_priority);
      if (result.problem == errc{} && threads_.mine() == nullptr)
        result = {errc::out_of_memory, "no memory for the worker"};
      bool fit = result.problem == errc{};
      report.set_value(std::move(result));
      if (fit) work();
      drop_reference();
    });
  } catch (const std::system_error& failure) {
    drop_reference();
    why = std::string("the worker thread cannot be started: ") + failure.what();
    return errc::not_permitted;
  }
  setup_result result = set_up.get();
  if (result.problem != errc{}) worker_.join();
  why = std::move(result.why);
  return result.problem;
}

void engine_core::work() noexcept {
  record_lease record(threads_);
  driver_ = &*record;
  record->driving = true;
  // Relaxed: read by the threads that call stop(), who only ask whether it is themselves.
  driving_thread_.store(std::this_thread::get_id(), base::relaxed);
  while (!stopped()) {
    if (bell_.has_rung()) bell_.clear();
    drain(drain_before_firing);
    fire_pass(time_.certain(), SIZE_MAX, false);
    if (!stopped()) wait_for_work();
  }
  record->driving = false;
  // Relaxed: another thread may get this one's id once it has ended, and is not the driver.
  driving_thread_.store(std::thread::id{}, base::relaxed);
  // Destroyed by a callback on this thread: the executor may have been on the stack until now.
  if (ended_by_driver_) executor_.reset();
}

void engine_core::wait_for_work() {
  nanoseconds_t until = retry_bound(next_exact().value_or(forever));
  if (until <= time_.now()) return;
  bell_.publish(until);
  bell_.clear();
  look_for_earlier_ = false;
  if (!drain_completely(until) || stopped()) return;
  if (look_for_earlier_) {
    nanoseconds_t earlier = retry_bound(next_exact().value_or(forever));
    if (earlier < until) bell_.lower(earlier);
    until = std::min(until, earlier);
  }
  waiter_.wait(until);
}

// Refused work is offered again soon.
nanoseconds_t engine_core::retry_bound(nanoseconds_t until) const noexcept {
  return retries_.empty() ? until : std::min(until, add_saturated(time_.now(), retry_after));
}

}  // namespace detent::detail
