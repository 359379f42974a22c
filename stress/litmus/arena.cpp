// SPDX-License-Identifier: MIT
#include <litmus/arena.hpp>
#include <search/meetings/hooks.hpp>
#include <search/meetings/real.hpp>

#include <thread>

namespace litmus {

namespace {

std::string yes_or_no(bool value) { return value ? "true" : "false"; }

const char* name(detent::cancel_result result) {
  switch (result) {
    case detent::cancel_result::cancelled: return "cancelled";
    case detent::cancel_result::running: return "running";
    case detent::cancel_result::gone: return "gone";
  }
  return "";
}

// So that neither call is always the first: nothing, or up to some microseconds of each magnitude.
void stagger(std::uint64_t drawn) {
  const std::uint64_t magnitude = drawn % 12;
  for (std::uint64_t i = (drawn >> 8) % (std::uint64_t{1} << magnitude); i != 0; --i) hooks::real::cpu_pause();
}

// Yields at random where the calls meet, and nowhere else.
class meeting_place {
 public:
  meeting_place() { hooks::leave_alone(false); }
  ~meeting_place() { hooks::leave_alone(true); }
  meeting_place(const meeting_place&) = delete;
  meeting_place& operator=(const meeting_place&) = delete;
};

}  // namespace

arena::arena(const pair& of, std::uint64_t seed) : pair_(of), ends_(of.ends_engine), random_(seed) {
  hooks::leave_alone(true);
  detent::engine_options options{.drive = detent::drive_kind::caller, .manual = &clock_, .reserve = 0};
  if (of.executor) options.executor = executor_ = std::make_shared<keeping_executor>();
  engine_.emplace(options);
}

void arena::prepare() {
  zero_ = std::chrono::duration_cast<seconds>(clock_.now().time_since_epoch());
  clock_.advance(at_begin);
  run_count_ = 0;
  is_over_ = false;
  owning_ = random_() % 2 == 0;
  left_stagger_ = random_();
  right_stagger_ = random_();
  x_ = bystander_ = {};
  if (pair_.x == beginning::none) return;
  x_ = schedule_x(owning_);
  if (pair_.x == beginning::queued) return;
  engine_->poll();
  if (pair_.x == beginning::armed) return;
  clock_.advance(at_old - at_begin);
  if (pair_.x == beginning::dispatched) engine_->poll();
}

detent::timer arena::schedule_x(bool owning) {
  if (pair_.kind == callback_kind::periodic)
    return engine_->schedule_at_fixed_rate(at_old - at_begin, at_rearmed - at_old,
                                           [this, held = witness(x_alive_)] { ran(); });
  const detent::time_point when{zero_ + at_old};
  const bool rearms = pair_.kind == callback_kind::rearms_once;
  auto callback = [this, rearms](detent::firing& firing) {
    if (rearms && run_count_ == 0) firing.rearm_at(detent::time_point(zero_ + at_rearmed));
    ran();
  };
  if (!owning) return engine_->try_schedule_at(when, callback);
  return engine_->try_schedule_at(
      when, [callback, held = witness(x_alive_)](detent::firing& firing) mutable { callback(firing); });
}

void arena::ran() {
  if (is_over_) fault("a run after the call that ends it");
  if (inside_.exchange(true)) fault("two runs at once");
  const std::size_t number = run_count_.fetch_add(1);
  const auto now = std::chrono::duration_cast<seconds>(clock_.now().time_since_epoch());
  if (number < ran_at_.size()) ran_at_[number] = (now - zero_).count();
  inside_ = false;
}

void arena::run_left() {
  meeting_place here;
  stagger(left_stagger_);
  left_said_ = pair_.left(*this);
  // One arming more, so that the two threads' orders, of which they have one an arming, stay in step: an engine that
  // went by the order alone would then take one thread's arming for the other's.
  if (!ends_) engine_->schedule_at(detent::time_point(zero_ + at_end), [] {}).cancel();
}

void arena::run_right() {
  meeting_place here;
  stagger(right_stagger_);
  right_said_ = pair_.right(*this);
  // Takes over X's node if that was freed here, while the left call may still be at it.
  if (!ends_)
    bystander_ = engine_->schedule_at(detent::time_point(zero_ + at_end), [held = witness(bystander_alive_)] {});
}

std::string arena::settle() {
  if (!ends_) {
    for (seconds at : {at_begin, left_earlier, right_earlier, at_old, left_later, right_later, at_rearmed}) {
      clock_.advance_to(detent::time_point(zero_ + at));
      if (executor_ != nullptr) {
        poll_and_run();
      } else {
        engine_->poll();
      }
    }
    if (bystander_alive_ != 1) fault("another timer's callable was destroyed");
    if (bystander_.cancel() != detent::cancel_result::cancelled) fault("another timer was ended");
    if (bystander_alive_ != 0) fault("another timer's callable was not destroyed");
    if (pair_.kind == callback_kind::periodic) x_.cancel();
    clock_.advance_to(detent::time_point(zero_ + at_end));
    engine_->poll();
  } else {
    engine_.reset();
    if (executor_ != nullptr) executor_->take();
  }
  if (x_alive_ != 0) fault("its callable was not destroyed");
  x_alive_ = bystander_alive_ = 0;
  std::string outcome = left_said_;
  if (!right_said_.empty()) outcome += ", " + right_said_;
  outcome += ", " + runs();
  if (const char* found = fault_.exchange(nullptr)) outcome += std::string(", ") + found;
  return outcome;
}

std::string arena::runs() const {
  const std::size_t count = run_count_;
  if (count == 0) return "no run";
  if (count > ran_at_.size()) return "too many runs";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const seconds at{ran_at_[i]};
    text += i == 0 ? "ran at the " : " and the ";
    text += at == at_old                               ? "old"
            : at == left_earlier || at == left_later   ? "left"
            : at == right_earlier || at == right_later ? "right"
            : at == at_rearmed                         ? "next"
                                                       : "wrong";
  }
  return text + " time";
}

std::string arena::cancel() {
  const detent::cancel_result result = x_.cancel();
  // Said by the one that won it; while another cancels, that one may still be at it.
  if (result == detent::cancel_result::cancelled) {
    if (x_alive_ != 0) fault("its callable is still there");
    is_over_ = true;
  }
  return name(result);
}

std::string arena::cancel_and_wait() {
  const detent::cancel_result result = x_.cancel_and_wait();
  if (inside_) fault("its callback is still running");
  is_over_ = true;
  return name(result);
}

std::string arena::restart(seconds to) { return yes_or_no(x_.restart_at(detent::time_point(zero_ + to))); }

std::string arena::stop() {
  std::vector<detent::unfired> left = engine_->stop();
  if (inside_) fault("its callback is still running");
  is_over_ = true;
  if (left.size() > 1) fault("returned more than once");
  return left.empty() ? "nothing" : "returned";
}

std::string arena::schedule() {
  x_ = schedule_x(owning_);
  return x_ ? "a handle" : "refused";
}

std::string arena::poll() {
  engine_->poll();
  return "";
}

std::string arena::poll_and_run() {
  engine_->poll();
  return run_handed_over();
}

std::string arena::run_handed_over() {
  for (detent::fired_timer& each : executor_->take()) each();
  return "";
}

std::string arena::drop_handed_over() {
  executor_->take();
  return "";
}

}  // namespace litmus
