// SPDX-License-Identifier: MIT
// The drive by a caller: poll(), the next deadline, and a descriptor for somebody's event loop.
#include "engine_core.hpp"

#include <cerrno>
#include <cstring>

namespace detent::detail {

drive_turn::drive_turn(engine_core& core, const char* what) : core_(core), record_(core.threads_) {
  auto refuse = [what](errc problem, const char* why) {
    throw error(make_error_code(problem), std::string(what) + why);
  };
  if (core.options_.drive != drive_kind::caller) refuse(errc::wrong_drive, "(): engine_options.drive = worker");
  std::thread::id nobody{}, me = std::this_thread::get_id();
  // (1) acquire: pairs with (2), so that one caller finds the wheel as another left it.
  if (!core.driving_thread_.compare_exchange_strong(nobody, me, base::acquire,
                                                    base::relaxed)) {  // relaxed: only told apart
    if (nobody == me) refuse(errc::called_from_callback, "(): from inside a callback that poll() runs");
    refuse(errc::not_permitted, "(): another thread is inside poll(), next_deadline() or wake_fd()");
  }
  core.driver_ = &*record_;
  record_->driving = true;
}

drive_turn::~drive_turn() {
  record_->driving = false;
  core_.driving_thread_.store(std::thread::id{}, base::release);  // (2) release: pairs with (1), and with (3) of stop()
}

std::size_t engine_core::poll(std::size_t max_callbacks) {
  std::size_t fired = 0;
  {
    drive_turn turn(*this, "poll");
    if (stopped()) return 0;
    if (wake_fd_.is_open() && bell_.has_rung()) bell_.clear();
    // As much as there is now; what a flood adds meanwhile waits for the next call.
    drain(queue_.size_approx() + 1);
    fired = fire_pass(time_.certain(), max_callbacks, true);
    if (wake_fd_.is_open() && !stopped()) announce_wait();
  }
  if (ended_by_driver_) {
    executor_.reset();
    drop_reference();
  }
  return fired;
}

// Makes wake_fd readable at the next deadline, and has producers of earlier ones signal it.
void engine_core::announce_wait() {
  nanoseconds_t until = retry_bound(next_exact().value_or(forever));
  bell_.publish(until);
  bell_.clear();
  look_for_earlier_ = false;
  drain_completely();
  if (look_for_earlier_) {
    nanoseconds_t earlier = retry_bound(next_exact().value_or(forever));
    if (earlier < until) bell_.lower(earlier);
    until = std::min(until, earlier);
  }
  if (time_.is_manual()) {  // the kernel knows nothing of virtual time
    wake_fd_.set(until <= time_.now() ? std::optional<nanoseconds_t>(1) : std::nullopt);
  } else {
    wake_fd_.set(until == forever ? std::nullopt : std::optional(until));
  }
  if (!bell_.go_outside()) wake_fd_.signal();
}

std::optional<nanoseconds_t> engine_core::next_deadline() {
  drive_turn turn(*this, "next_deadline");
  if (stopped()) return std::nullopt;
  drain(queue_.size_approx() + 1);
  std::optional<nanoseconds_t> next = next_exact();
  if (!retries_.empty()) next = retry_bound(next.value_or(forever));
  if (wake_fd_.is_open()) announce_wait();
  return next;
}

int engine_core::open_wake_fd() {
  drive_turn turn(*this, "wake_fd");
  bool was_open = wake_fd_.is_open();
  int fd = wake_fd_.open();
  if (fd < 0) throw error(make_error_code(errc::not_permitted), std::string("wake_fd(): ") + std::strerror(errno));
  if (!was_open) announce_wait();
  return fd;
}

}  // namespace detent::detail
