// SPDX-License-Identifier: MIT
// The worker: an engine's own thread, which turns the wheel.
#include "engine/engine_core.hpp"
#include "platform/thread_setup.hpp"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
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

// A worker's report on its start, made once. It uses a lock, which ThreadSanitizer sees even in a library that is not
// compiled with it. tell() notifies under the lock, because the thread that waits destroys this afterwards.
class start_report {
 public:
  void tell(setup_result made) {
    std::lock_guard lock(mutex_);
    result_ = std::move(made);
    told_ = true;
    is_told_.notify_one();
  }
  setup_result wait() {
    std::unique_lock lock(mutex_);
    is_told_.wait(lock, [this] { return told_; });
    return std::move(result_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable is_told_;
  setup_result result_;
  bool told_ = false;
};

}  // namespace

struct engine_core::waiting {
  engine_core& core;
  bool keeps(nanoseconds_t time) const noexcept {
    return core.options_.drive == drive_kind::worker && subtract_saturated(time, core.time_.now()) > worth_keeping;
  }
  void count_raise() noexcept { core.fences_.count_raise(); }
  void answer() noexcept { core.answer_bell(); }
  bool drain(nanoseconds_t until) noexcept { return core.drain_completely(until); }
  bool is_called() const noexcept { return core.groups_.is_asked() || core.stopped(); }
  nanoseconds_t next() { return core.retry_bound(core.next_exact().value_or(forever)); }
};

// Starts the thread and waits for its report on what it could set up.
errc engine_core::start_worker(std::string& why) {
  start_report report;
  add_reference();  // the worker's own
  try {
    worker_ = std::thread([this, &report] {
      setup_result result;
      try {
        life_.introduce_worker({gettid(), pthread_self()});
        counts_.set_worker(gettid());
        result = set_up_worker_thread(options_.name, options_.cpu, options_.realtime_priority);
        for (const cause each : counted_by_a_run) counts_[each].map();
        if (result.problem == errc{}) rehearsal_.begin(options_);
      } catch (const std::bad_alloc&) {
        result.problem = errc::out_of_memory;
      }
      if (result.problem == errc{} && threads_.mine() == nullptr) result.problem = errc::out_of_memory;
      bool fit = result.problem == errc{};
      report.tell(std::move(result));
      if (fit) work();
      drop_reference();
    });
  } catch (const std::system_error& failure) {
    drop_reference();
    why = std::string("the worker thread cannot be started: ") + failure.what();
    return errc::not_permitted;
  }
  setup_result result = report.wait();
  if (result.problem != errc{}) worker_.join();
  why = result.problem == errc::out_of_memory ? "no memory for the worker" : std::move(result.why);
  return result.problem;
}

void engine_core::work() noexcept {
  record_lease record(threads_);
  driver_ = &*record;
  threads_.set_driving(*record, true);
  life_.set_worker(std::this_thread::get_id());
  std::optional<nanoseconds_t> came;  // a reading that has reached the deadline waited for
  while (!stopped()) {
    // What was known first: it is due this very instant.
    if (came) fire_pass(*came, SIZE_MAX, false);
    answer_bell();
    // Woken for the backlog alone, it leaves what is young where it is.
    if (debt_.is_owed() || time_.now() >= bell_.wake_time()) drain_before_firing();
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
  life_.set_worker({});  // another thread may get this one's id once it has ended, and is not the driver
  // Destroyed by a callback on this thread: the executor may have been on the stack until now.
  if (ended_by_driver_) executor_.reset();
}

// Returns when the wait ends at the latest; INT64_MIN: now, if something is due already or the engine is stopped.
nanoseconds_t engine_core::announce_until(nanoseconds_t until) {
  const bool asymmetric = fences_.prefers_asymmetric(bell_.asymmetric());
  if (asymmetric != bell_.asymmetric()) asymmetric ? bell_.begin_asymmetric() : bell_.begin_symmetric();
  return debt_.announce(bell_, until, waiting{*this});
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
