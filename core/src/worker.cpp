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
// A wake time that is further away than this is not raised.
constexpr nanoseconds_t worth_keeping = 200'000;

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
  threads_.set_driving(*record, true);
  // Relaxed: read by the threads that call stop(), who only ask whether it is themselves.
  driving_thread_.store(std::this_thread::get_id(), base::relaxed);
  while (!stopped()) {
    nanoseconds_t now = time_.certain();
    answer_bell();
    // Woken for the backlog alone, it leaves what is young where it is.
    if (unanswered_ || now >= bell_.wake_time()) {
      drain(drain_before_firing);
      if (last_drain_ != 0) now = time_.certain();
    }
    fire_pass(now, SIZE_MAX, false);
    if (backlog_.is_full(now)) relieve(forever);
    if (!stopped()) wait_for_work();
  }
  threads_.set_driving(*record, false);
  // Relaxed: another thread may get this one's id once it has ended, and is not the driver.
  driving_thread_.store(std::thread::id{}, base::relaxed);
  // Destroyed by a callback on this thread: the executor may have been on the stack until now.
  if (ended_by_driver_) executor_.reset();
}

// Takes note of a ring, before the drain that answers it.
void engine_core::answer_bell() noexcept {
  if (!bell_.has_rung()) return;
  bell_.clear();
  // Relaxed: behind the fence in clear(), which pairs with the one in ring(): who found the bell still rung had set it.
  if (earlier_.load(base::relaxed) && earlier_.exchange(false, base::relaxed)) unanswered_ = true;
}

// Tells the producers until when nobody looks, and takes up what that asks for. Returns when the wait ends at the
// latest: now, if something is due already or the engine is stopped.
nanoseconds_t engine_core::announce_until(nanoseconds_t until) {
  bool asymmetric = fences_.prefers_asymmetric(bell_.asymmetric());
  if (asymmetric != bell_.asymmetric()) asymmetric ? bell_.begin_asymmetric() : bell_.begin_symmetric();
  const nanoseconds_t told = bell_.wake_time();
  if (until > told && options_.drive == drive_kind::worker &&
      subtract_saturated(told, time_.now()) > worth_keeping) {
    // What was told for has been cancelled. A look then costs less than a raise now, which asks for a complete drain
    // and has producers ring for more: the wake time rather stays as low as it once was.
    until = told;
  } else if (until > told) {
    fences_.count_raise();
    bell_.raise(until);
    unanswered_ = true;
  } else {
    bell_.lower(until);
  }
  answer_bell();
  look_for_earlier_ = false;
  if (!drain_completely(until) || stopped()) return INT64_MIN;
  if (look_for_earlier_) {
    nanoseconds_t earlier = retry_bound(next_exact().value_or(forever));
    if (earlier < until) bell_.lower(earlier);
    until = std::min(until, earlier);
  }
  return until;
}

void engine_core::wait_for_work() {
  nanoseconds_t until = retry_bound(next_exact().value_or(forever));
  if (until <= time_.now()) return;
  until = announce_until(until);
  if (until != INT64_MIN) waiter_.wait(until);
}

// Refused work is offered again soon.
nanoseconds_t engine_core::retry_bound(nanoseconds_t until) const noexcept {
  return retries_.empty() ? until : std::min(until, add_saturated(time_.now(), retry_after));
}

}  // namespace detent::detail
