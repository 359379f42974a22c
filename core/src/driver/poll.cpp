// SPDX-License-Identifier: MIT
// The drive by a caller: poll(), the next deadline, and a descriptor for somebody's event loop.
#include "driver/drive_turn.hpp"

#include <cerrno>
#include <cstring>

namespace detent::detail {
namespace {

// So many members of groups are looked at in a call of poll().
constexpr std::size_t sweep_a_poll = 100'000;

}  // namespace

drive_turn::drive_turn(engine_core& core, const char* what) : core_(core) {
  auto refuse = [what](errc problem, const char* why) {
    throw error(make_error_code(problem), std::string(what) + why);
  };
  if (core.options_.drive != drive_kind::caller) refuse(errc::wrong_drive, "(): engine_options.drive = worker");
  const std::thread::id me = std::this_thread::get_id();
  const lifecycle::entry entered = core.life_.enter_drive(me);
  if (entered == lifecycle::entry::refused) {
    if (core.life_.is_driven_by(me)) refuse(errc::called_from_callback, "(): from inside a callback that poll() runs");
    refuse(errc::not_permitted, "(): another thread is inside poll(), next_deadline() or wake_fd()");
  }
  stopped_ = entered == lifecycle::entry::stopped;
  base::show_acquire(&core.life_);
  record_ = core.threads_.mine();
  if (record_ == nullptr) record_ = &core.threads_.borrow_spare();
  core.driver_ = record_;
  core.threads_.set_driving(*record_, true);
}

drive_turn::~drive_turn() {
  core_.threads_.set_driving(*record_, false);
  core_.threads_.give_back(*record_);
  const bool ended = core_.ended_by_driver_;
  base::show_release(&core_.life_);
  core_.life_.leave_drive();
  if (ended) {
    core_.executor_.reset();
    core_.drop_reference();
  }
}

std::size_t engine_core::poll(std::size_t max_callbacks) {
  drive_turn turn(*this, "poll");
  if (turn.stopped()) return 0;
  const bool watched = wake_fd_.is_open();
  if (watched) answer_bell();
  drain_submitted();
  if (groups_.is_asked()) sweep_groups(sweep_a_poll);
  std::size_t fired = fire_pass(time_.certain(), max_callbacks, true);
  ledger_.split.wait_begins();  // for the next call
  if (counts_.watched()) tell_gauges();
  if (watched && !stopped()) announce_wait();
  return fired;
}

// Makes wake_fd readable at the next deadline, and has producers of earlier ones signal it.
void engine_core::announce_wait() {
  if (groups_.is_asked()) return wake_fd_.signal();
  nanoseconds_t until = retry_bound(next_exact().value_or(forever));
  until = announce_until(until);
  if (until == INT64_MIN) return wake_fd_.signal();  // due already, and more to take up
  if (time_.is_manual()) {                           // the kernel knows nothing of virtual time
    wake_fd_.set(until <= time_.now() ? std::optional<nanoseconds_t>(1) : std::nullopt);
  } else {
    wake_fd_.set(until == forever ? std::nullopt : std::optional(until));
  }
  if (!bell_.go_outside()) wake_fd_.signal();
}

std::optional<nanoseconds_t> engine_core::next_deadline() {
  drive_turn turn(*this, "next_deadline");
  if (turn.stopped()) return std::nullopt;
  drain_submitted();
  if (groups_.is_asked()) sweep_groups(SIZE_MAX);
  if (wake_fd_.is_open()) announce_wait();  // first, as it may take up what has come meanwhile
  std::optional<nanoseconds_t> next = next_exact();
  if (has_offers()) next = retry_bound(next.value_or(forever));
  return next;
}

int engine_core::open_wake_fd() {
  drive_turn turn(*this, "wake_fd");
  bool was_open = wake_fd_.is_open();
  int fd = wake_fd_.open();
  if (fd < 0) throw error(make_error_code(errc::not_permitted), std::string("wake_fd(): ") + std::strerror(errno));
  if (!was_open && !stopped()) announce_wait();
  return fd;
}

}  // namespace detent::detail
