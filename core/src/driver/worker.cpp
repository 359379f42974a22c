// SPDX-License-Identifier: MIT
#include "driver/worker.hpp"

#include <detent/base/compiler.hpp>

#include "driver/drive_loop.hpp"
#include "driver/driver.hpp"
#include "limits.hpp"
#include "platform/thread_setup.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace detent::detail {
namespace {

// The causes that a run counts if it was waited for.
constexpr cause counted_by_a_run[] = {cause::lateness, cause::wait, cause::worker, cause::callback};

// A worker's report on its start, made once. It uses a lock, which ThreadSanitizer sees even in a library that is not
// compiled with it. make() notifies under the lock, because the thread that waits destroys this afterwards.
class start_report {
 public:
  void make(setup_result result) {
    std::lock_guard lock(mutex_);
    result_ = std::move(result);
    made_ = true;
    is_made_.notify_one();
  }
  setup_result wait() {
    std::unique_lock lock(mutex_);
    is_made_.wait(lock, [this] { return made_; });
    return std::move(result_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable is_made_;
  setup_result result_;
  bool made_ = false;
};

// The calling thread, as a worker.
DETENT_NOINLINE DETENT_COLD setup_result set_up(engine_core& core) {
  const engine_options& options = core.options;
  setup_result result;
  try {
    core.counts.set_worker(this_thread_number());
    result = set_up_worker_thread(options.name, options.cpu, options.realtime_priority);
    for (const cause each : counted_by_a_run) core.counts[each].map();
  } catch (const std::bad_alloc&) {
    result.problem = errc::out_of_memory;
  }
  result.thread_number = this_thread_number();
  if (result.problem == errc{} && core.threads.mine() == nullptr) result.problem = errc::out_of_memory;
  return result;
}

}  // namespace

worker::worker(engine_core& core, driver& drives)
    : core_(core),
      in_(core.in),
      driver_(drives),
      waiter_(core.options.wait, core.options.tick.count(), core.time, in_.bell()) {}

DETENT_COLD errc worker::start(std::string& why) {
  const engine_options& options = core_.options;
  if (options.cpu_latency_limit) {
    if (const int failed = waiter_.limit_cpu_latency(*options.cpu_latency_limit); failed != 0) {
      why = explain_cpu_latency(*options.cpu_latency_limit, cpu_latency_device, failed);
      return code_of(failed);
    }
  }
  start_report report;
  core_.add_reference();  // the worker's own
  try {
    thread_ = std::thread([this, &report] {
      setup_result result = set_up(core_);
      const bool fit = result.problem == errc{};
      report.make(std::move(result));
      if (fit) work();
      core_.drop_reference();
    });
  } catch (const std::system_error& failure) {
    core_.drop_reference();
    const int problem = failure.code().value();
    why = "the worker thread cannot be started: " + explain(problem);
    return code_of(problem);
  }
  setup_result result = report.wait();
  core_.life.introduce_worker({result.thread_number, thread_.native_handle()});
  if (result.problem != errc{}) thread_.join();
  why = result.problem == errc::out_of_memory ? "no memory for the worker" : std::move(result.why);
  return result.problem;
}

void worker::join() {
  core_.in.ring_worker();
  thread_.join();
}

void worker::work() noexcept {
  record_lease mine(core_.threads);
  driver_.begin(*mine);
  core_.life.set_worker(std::this_thread::get_id());
  drive_until_over(*this);
  waiter_.end();
  driver_.end();
  core_.life.set_worker({});  // another thread may get this one's id once it has ended, and is not the driver
  // Destroyed by a callback on this thread: the executor may have been on the stack until now.
  if (driver_.has_ended()) core_.executors.reset();
}

void worker::answer_bell() noexcept { driver_.drains.answer_bell(); }
bool worker::has_to_drain() const noexcept { return driver_.has_to_drain(); }
void worker::drain_before_firing() noexcept { driver_.drains.drain_before_firing(); }
void worker::sweep() noexcept { driver_.sweep(std::max(limits::sweep_slice, driver_.groups.held_back())); }
void worker::fire(nanoseconds_t now) {
  if (!driver_.pass.fire_awaited(now)) driver_.pass.fire_pass(now, SIZE_MAX, false);
}

void worker::fire_due() {
  const nanoseconds_t now = core_.time.certain();
  driver_.pass.fire_pass(now, SIZE_MAX, false);
  driver_.relieve_backlog(now);
  if (!core_.counts.watched()) return;
  core_.counts.set(gauge::wakeups, static_cast<std::int64_t>(waiter_.wakeups()));
  core_.counts.set(gauge::margin, waiter_.margin());
  driver_.set_gauges();
}

std::optional<nanoseconds_t> worker::wait() {
  const std::optional<nanoseconds_t> reached = wait_for_work();
  if (waiter_.has_waited()) driver_.state.split.wait_begins();
  return reached;
}

std::optional<nanoseconds_t> worker::wait_for_work() {
  if (driver_.groups.is_asked()) return std::nullopt;
  nanoseconds_t until = driver_.entries.next();
  const nanoseconds_t now = core_.time.now();
  driver_.state.split.looked(now);
  if (until <= now) return std::nullopt;
  const nanoseconds_t look = look_time();
  if (look < until) [[unlikely]]
    return wait_for_look(look, until);
  until = driver_.announce(until);
  if (until == INT64_MIN) return std::nullopt;
  if (core_.counts.watched()) core_.counts.set(gauge::next_deadline, until);
  if (core_.pool.is_untidy()) tidy(until);
  if (!waiter_.sleep(until, &core_) || !warm_up(until)) return std::nullopt;
  driver_.pass.await(until);
  const std::optional<nanoseconds_t> reached = waiter_.spin(until);
  if (!reached) driver_.timers.bulk.give_up_awaited();
  return reached;
}

bool worker::is_called(nanoseconds_t until) const noexcept {
  return in_.bell().has_rung() || subtract_saturated(until, core_.time.now()) < limits::worth_tidying;
}

// Sorts free nodes while nothing else is to be done. It is announced already until when it sleeps: callers ring.
DETENT_NOINLINE DETENT_COLD void worker::tidy(nanoseconds_t until) noexcept {
  const auto stop = [this, until] { return is_called(until); };
  while (core_.pool.is_untidy() && !stop()) core_.pool.tidy(stop);
}

nanoseconds_t worker::look_time() const noexcept {
  if (core_.options.memory.give_back_after.count() == 0) return forever;
  return left_more_ || core_.pool.surplus() != surplus_ ? next_look_ : forever;
}

// Waits for the time at which free memory is looked for, or looks; the deadline itself is waited for after that.
DETENT_NOINLINE DETENT_COLD std::optional<nanoseconds_t> worker::wait_for_look(nanoseconds_t look,
                                                                               nanoseconds_t until) noexcept {
  const nanoseconds_t now = core_.time.now();
  const bool is_due = look <= now;
  until = driver_.announce(is_due ? until : look);
  if (until == INT64_MIN) return std::nullopt;
  if (!is_due) {
    if (core_.pool.is_untidy()) tidy(until);
    if (waiter_.sleep(until, &core_)) waiter_.spin(until);
    return std::nullopt;
  }
  driver_.timers.give_back();
  left_more_ = core_.pool.give_back(driver_.state.record->cache, [this, until] { return is_called(until); });
  next_look_ = add_saturated(now, core_.options.memory.give_back_after.count());
  surplus_ = core_.pool.surplus();
  return std::nullopt;
}

// Spins until shortly before the deadline, and has what it takes then in the caches: a core that slept may have lost it
// all. Returns false if the bell has rung.
bool worker::warm_up(nanoseconds_t until) noexcept {
  if (until == forever) return true;
  const nanoseconds_t left = subtract_saturated(until, core_.time.now());
  if (left < limits::worth_warming_up) return true;
  if (left > limits::warm_up_ahead && !waiter_.spin(until - limits::warm_up_ahead)) return false;
  driver_.warm_up();
  for (const cause each : counted_by_a_run) core_.counts[each].warm_up();
  return true;
}

}  // namespace detent::detail
