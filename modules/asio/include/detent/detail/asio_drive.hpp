// SPDX-License-Identifier: MIT
// A caller-driven engine whose driver is an io_context. `Loop` is base::boost_asio_loop or base::standalone_asio_loop.
#pragma once

#include <detent/detail/asio_inbox.hpp>
#include <detent/detail/stoppable.hpp>
#include <detent/detail/timer_access.hpp>
#include <detent/engine.hpp>
#include <detent/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace detent {

struct asio_drive_options {
  // Whether run() goes on until the drive ends or the engine is stopped, as with a work guard. Otherwise only sleeps
  // keep it from returning, and plain timers do not. Default: no.
  bool keeps_running = false;
  // How many timers a turn fires at most, before other handlers of the context get their turn; at least 1. Default: no
  // limit.
  std::size_t at_once = SIZE_MAX;
  // The least time from the beginning of one turn to the next. Timers that come due in between are late by up to this,
  // and cost no wake-up of their own; timers that lie further apart are not late. At least 0 ns. Default: 100 us.
  duration apart = std::chrono::microseconds(100);
};

}  // namespace detent

namespace detent::detail {

// The drives of a context. When it ends, each gives back what must not outlive it.
template <class Drive, class Loop>
class drives_of_context : public Loop::service {
 public:
  static inline typename Loop::service_id id;

  explicit drives_of_context(typename Loop::any_context& of) : Loop::service(of) {}

  void enrol(Drive& one) {
    const std::lock_guard lock(mutex_);
    drives_.push_back(&one);
  }
  void leave(Drive& one) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase(drives_, &one);
  }

 private:
  void shutdown() override {
    for (Drive* each : std::exchange(drives_, {})) each->lose_context();
  }

  std::mutex mutex_;
  std::vector<Drive*> drives_;
};

// The state of a drive, which its user and its handlers hold. One handler exists at a time, so that turns never overlap
// on a context that several threads run.
template <class Loop>
class context_drive : public std::enable_shared_from_this<context_drive<Loop>> {
 public:
  using context = typename Loop::context;

  context_drive(context& on, engine& driven, const asio_drive_options& options);

  void begin();
  // Any thread may call it. No turn begins afterwards.
  void end() noexcept;
  // Called by the service when the context is being destroyed.
  void lose_context() noexcept;

 private:
  using drives = drives_of_context<context_drive, Loop>;

  class waited;

  void turn();
  bool settle_later(nanoseconds_t rests_until);
  void settle(nanoseconds_t rests_until);
  void wait() noexcept;
  void let_go() noexcept;
  bool has_ended() noexcept {
    const std::lock_guard lock(mutex_);
    return on_ == nullptr;
  }

  engine_core& driven_;
  const engine_hold held_;  // the engine may be moved or destroyed first
  context_inbox& inbox_;    // for the drive's sleeps
  const std::size_t at_once_;
  const duration apart_;

  std::mutex mutex_;  // guards the following, because end() may come while a turn ends on another thread
  context* on_;       // null once the drive or the context has ended
  std::optional<typename Loop::descriptor> bell_;
  std::optional<typename Loop::work> kept_;
};

template <class Loop>
context_drive<Loop>::context_drive(context& on, engine& driven, const asio_drive_options& options)
    : driven_(*timer_access::core(driven)),
      held_(driven_),
      inbox_(asio_inbox<typename Loop::asio, context>::of(on)),
      at_once_(options.at_once),
      apart_(options.apart),
      on_(&on) {
  if (at_once_ == 0) throw error(errc::invalid_option, "asio_drive_options::at_once = 0: must be at least 1");
  if (apart_ < duration(0)) {
    throw error(errc::invalid_option,
                "asio_drive_options::apart = " + std::to_string(apart_.count()) + " ns: must be at least 0 ns");
  }
  const int bell = driven.wake_fd();
  if (driven.stopped()) throw error(errc::stopped, "asio_drive: the engine is stopped; drive one that is not");
  // A duplicate, because Asio closes the descriptor that it waits on, and the engine closes its own.
  const int own = ::fcntl(bell, F_DUPFD_CLOEXEC, 0);
  if (own < 0) throw error(errc::limit_reached, "asio_drive: no descriptor is left; raise the limit (ulimit -n)");
  try {
    bell_.emplace(on, own);
  } catch (...) {
    ::close(own);
    throw;
  }
  if (options.keeps_running) kept_.emplace(on.get_executor());
}

// Calls turn() when the engine has something to do. Its wait is not counted as work of the context.
template <class Loop>
class context_drive<Loop>::waited {
 public:
  waited(std::shared_ptr<context_drive> drive, context& on) noexcept : drive_(std::move(drive)), on_(&on) {}

  void operator()(typename Loop::error_code failed) {
    Loop::count(*on_);  // Asio takes it back after this handler
    if (!failed) drive_->turn();
  }

 private:
  std::shared_ptr<context_drive> drive_;
  context* on_;
};

// Runs in a handler, because only there the context has work that is not the wait. A turn comes first, because another
// driver may have left the descriptor unset.
template <class Loop>
void context_drive<Loop>::begin() {
  try {
    Loop::template use<drives>(*on_).enrol(*this);
    Loop::post(*on_, [mine = this->shared_from_this()] { mine->turn(); });
  } catch (...) {
    end();
    throw;
  }
}

template <class Loop>
void context_drive<Loop>::end() noexcept {
  const std::lock_guard lock(mutex_);
  if (on_ == nullptr) return;
  Loop::template use<drives>(*on_).leave(*this);
  let_go();
}

template <class Loop>
void context_drive<Loop>::lose_context() noexcept {
  const std::lock_guard lock(mutex_);
  let_go();
}

template <class Loop>
void context_drive<Loop>::let_go() noexcept {
  bell_.reset();  // a wait ends with an error
  kept_.reset();
  on_ = nullptr;
}

// Fires what is due; sleeps among that defer their handlers. The wait is settled after these handlers, because they
// often arm earlier timers. If the engine has another driver at this moment, run() reports it, and the next run() goes
// on.
template <class Loop>
void context_drive<Loop>::turn() {
  if (has_ended()) return;
  const nanoseconds_t rests_until = add_saturated(to_ns(clock::now()), apart_.count());
  std::size_t fired = 0;
  try {
    inbox_.gather([&] { fired = poll_held(driven_, at_once_); });
  } catch (...) {
    wait();
    throw;
  }
  if (has_stopped(driven_)) return end();  // a callback may have destroyed the engine, which is its last turn
  if (fired == 0) return settle(INT64_MIN);
  const nanoseconds_t rests = fired < at_once_ ? rests_until : INT64_MIN;
  if (!settle_later(rests)) settle(rests);
}

// Returns false if there is no memory for a handler.
template <class Loop>
bool context_drive<Loop>::settle_later(nanoseconds_t rests_until) {
  const std::lock_guard lock(mutex_);
  if (on_ == nullptr) return true;
  try {
    Loop::defer(*on_, [mine = this->shared_from_this(), rests_until] { mine->settle(rests_until); });
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

template <class Loop>
void context_drive<Loop>::settle(nanoseconds_t rests_until) {
  bool goes_on = true;
  try {
    goes_on = settle_held(driven_, rests_until);
  } catch (...) {
    wait();
    throw;
  }
  goes_on ? wait() : end();
}

// If there is no memory for the wait, the program ends: timers that never fire would be worse.
template <class Loop>
void context_drive<Loop>::wait() noexcept {
  const std::lock_guard lock(mutex_);
  if (on_ == nullptr) return;
  bell_->async_wait(Loop::descriptor::wait_read, waited(this->shared_from_this(), *on_));
  Loop::uncount(*on_);
}

// The public class, which the public headers name asio_drive.
template <class Loop>
class basic_asio_drive {
 public:
  // `driven` must be of drive_kind::caller. Throws error: wrong_drive, stopped, invalid_option (at_once), limit_reached
  // (descriptors). Throws std::bad_alloc.
  basic_asio_drive(typename Loop::context& on, engine& driven, const asio_drive_options& options = {})
      : drive_(std::make_shared<context_drive<Loop>>(on, driven, options)) {
    drive_->begin();
  }
  basic_asio_drive(basic_asio_drive&&) noexcept = default;
  basic_asio_drive& operator=(basic_asio_drive&& other) noexcept {
    if (this != &other) {
      end();
      drive_ = std::move(other.drive_);
    }
    return *this;
  }
  ~basic_asio_drive() { end(); }

  // Any thread may call it, also in callbacks and handlers; later calls do nothing. No turn begins after it. Pending
  // timers stay pending, for another drive, or for a loop that begins with poll(). Does not wait for a turn that
  // another thread is in; ~engine does.
  void end() noexcept {
    if (drive_ != nullptr) drive_->end();
  }

 private:
  std::shared_ptr<context_drive<Loop>> drive_;
};

}  // namespace detent::detail
