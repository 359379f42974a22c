// SPDX-License-Identifier: MIT
// The worker: an engine's own thread, which turns the wheel.
#include "engine_core.hpp"
#include "thread_setup.hpp"

#include <unistd.h>

#include <algorithm>
#include <future>
#include <utility>

namespace detent::detail {
namespace {

constexpr nanoseconds_t retry_after = 1'000'000;
// So many members of groups are looked at between two looks at what is due.
constexpr std::size_t sweep_slice = 1024;
// A wake time that is further away than this is not raised.
constexpr nanoseconds_t worth_keeping = 200'000;
// With less left the deadline comes first.
constexpr nanoseconds_t worth_fetching = 1'000;
// What a run that was waited for counts.
constexpr cause counted_by_a_run[] = {cause::lateness, cause::wait, cause::worker, cause::callback};

void fetch_lines(const void* begin, const void* end) noexcept {
  for (auto* each = static_cast<const std::byte*>(begin); each < end; each += 64) __builtin_prefetch(each, 1);
}

}  // namespace

// Starts the thread and waits for its report on what it could set up.
errc engine_core::start_worker(std::string& why) {
  std::promise<setup_result> report;
  std::future<setup_result> set_up = report.get_future();
  add_reference();  // the worker's own
  try {
    worker_ = std::thread([this, &report] {
      setup_result result;
      try {
        counts_.set_worker(gettid());
        result = set_up_worker_thread(options_.name, options_.cpu, options_.realtime_priority);
        for (const cause each : counted_by_a_run) counts_[each].map();
        if (result.problem == errc{}) rehearsal_.begin(options_);
      } catch (const std::bad_alloc&) {
        result.problem = errc::out_of_memory;
      }
      if (result.problem == errc{} && threads_.mine() == nullptr) result.problem = errc::out_of_memory;
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
  why = result.problem == errc::out_of_memory ? "no memory for the worker" : std::move(result.why);
  return result.problem;
}

void engine_core::work() noexcept {
  record_lease record(threads_);
  driver_ = &*record;
  threads_.set_driving(*record, true);
  // Relaxed: read by the threads that call stop(), who only ask whether it is themselves.
  driving_thread_.store(std::this_thread::get_id(), base::relaxed);
  std::optional<nanoseconds_t> came;  // a reading that has reached the deadline waited for
  while (!stopped()) {
    // What was known first: it is due this very instant.
    if (came) fire_pass(*came, SIZE_MAX, false);
    answer_bell();
    // Woken for the backlog alone, it leaves what is young where it is.
    if (unanswered_ || time_.now() >= bell_.wake_time()) drain_before_firing();
    if (groups_.is_asked()) sweep_groups(sweep_slice);
    const nanoseconds_t now = time_.certain();
    fire_pass(now, SIZE_MAX, false);
    if (backlog_.is_full(now)) relieve(forever);
    if (counts_.watched()) tell_gauges();
    came = stopped() ? std::nullopt : wait_for_work();
    if (waiter_.has_waited()) ledger_.split.wait_begins();  // ends with the next look at the clock
  }
  rehearsal_.end();
  threads_.set_driving(*record, false);
  // Relaxed: another thread may get this one's id once it has ended, and is not the driver.
  driving_thread_.store(std::thread::id{}, base::relaxed);
  // Destroyed by a callback on this thread: the executor may have been on the stack until now.
  if (ended_by_driver_) executor_.reset();
}

// Tells the producers until when nobody looks, and takes up what that asks for. Returns when the wait ends at the
// latest: now, if something is due already or the engine is stopped.
nanoseconds_t engine_core::announce_until(nanoseconds_t until) {
  bool asymmetric = fences_.prefers_asymmetric(bell_.asymmetric());
  if (asymmetric != bell_.asymmetric()) asymmetric ? bell_.begin_asymmetric() : bell_.begin_symmetric();
  // The wake time stays low, and falls to what was rung for, although that may be cancelled by now: a look in vain at
  // that time costs less than a raise now, which asks for a complete drain, and than the rings of all that comes before
  // a later one.
  const nanoseconds_t told = bell_.wake_time();
  const nanoseconds_t rung = std::exchange(rung_for_, forever);
  const nanoseconds_t low = std::min(told, rung);
  if (until > low && options_.drive == drive_kind::worker && subtract_saturated(low, time_.now()) > worth_keeping) {
    until = low;
    bell_.lower(until);
  } else if (until > told) {
    fences_.count_raise();
    bell_.raise(until);
    owe_drain();
  } else {
    bell_.lower(until);
  }
  if (rung != forever && until > low) owe_drain();  // what was rung for has not been looked at
  answer_bell();
  look_for_earlier_ = false;
  if (unanswered_ && !drain_completely(until)) return INT64_MIN;
  if (groups_.is_asked() || stopped()) return INT64_MIN;  // the bell's answer above may have been for either
  if (look_for_earlier_) {
    nanoseconds_t earlier = retry_bound(next_exact().value_or(forever));
    if (earlier < until) bell_.lower(earlier);
    until = std::min(until, earlier);
  }
  if (rung_for_ < until) {  // the bell's last answer left it for later
    until = rung_for_;
    bell_.lower(until);
  }
  return until;
}

// Returns a reading of the clock that has reached the next deadline; none: there is something else to look at.
std::optional<nanoseconds_t> engine_core::wait_for_work() {
  if (groups_.is_asked()) return std::nullopt;
  nanoseconds_t until = retry_bound(next_exact().value_or(forever));
  const nanoseconds_t now = time_.now();
  ledger_.split.looked(now);
  if (until <= now) return std::nullopt;
  until = announce_until(until);
  if (until == INT64_MIN) return std::nullopt;
  if (counts_.watched()) counts_.set(gauge::next_deadline, until);
  if (!waiter_.sleep(until, this) || !warm_up(until)) return std::nullopt;
  return waiter_.spin(until);
}

// Spins until shortly before the deadline, and has what it takes then in the caches: a core that slept may have lost it
// all. False: the bell has rung.
bool engine_core::warm_up(nanoseconds_t until) noexcept {
  if (until == forever) return true;
  const nanoseconds_t left = subtract_saturated(until, time_.now());
  if (left < worth_fetching) return true;
  if (left > rehearsal::ahead) {
    if (!waiter_.spin(until - rehearsal::ahead)) return false;
    rehearsal_.fire_one();
  }
  wheel_.next_exact([this](node_index index, node& each) {
    if (drop_if_cancelled(index, each)) return true;
    __builtin_prefetch(reinterpret_cast<const void*>(each.ops->invoke));
    return false;
  });
  due_.warm_up();
  for (const cause each : counted_by_a_run) counts_[each].warm_up();
  driver_->warm_up();
  fetch_lines(this, &pages_);  // the options and what is asked of the life of the engine
  fetch_lines(&due_, &batch_);
  fetch_lines(&ledger_, &ledger_ + 1);
  return true;
}

// Refused work is offered again soon.
nanoseconds_t engine_core::retry_bound(nanoseconds_t until) noexcept {
  return has_offers() ? std::min(until, add_saturated(time_.now(), retry_after)) : until;
}

}  // namespace detent::detail
