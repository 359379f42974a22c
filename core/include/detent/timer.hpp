// SPDX-License-Identifier: MIT
#pragma once

#include <detent/error.hpp>
#include <detent/time.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace detent {

enum class cancel_result : std::uint8_t {
  cancelled,  // the callback will never start (again), and its captures are already destroyed
  running,    // it is executing now, and this is its last run, even if it re-arms
  gone        // it has fired, was cancelled, dropped or returned, or never existed
};

namespace detail {
class engine_core;
class timer_access;
}  // namespace detail

// A handle to one timer of one engine: 16 bytes, trivially copyable, owning nothing. Every call may be made from any
// thread and in any order; a stale handle reaches no timer. A handle must not be used after the engine's destruction.
// The checked library (docs/faq.md) reports that and aborts, unless another engine has come to that address.
class timer {
 public:
  constexpr timer() noexcept = default;

  // Lock-free; never blocks, with one exception: if the timer has a stop token and a stop request is cancelling it at
  // this moment, the call waits until that is done.
  cancel_result cancel() noexcept;
  // Also waits until a running callback has ended. Inside that callback it returns at once.
  cancel_result cancel_and_wait() noexcept;
  // True: the timer fires at the new deadline and not at the old one. A periodic timer's grid starts again there.
  // False: it is running or has ended, and nothing has changed. Lock-free.
  bool restart_at(detail::clock_time deadline) noexcept;
  bool restart_after(detail::whole_duration delay) noexcept;
  // Whether the callback will start (again) unless something else is done. A one-shot that re-arms itself is pending
  // again when that run has ended.
  bool pending() const noexcept;
  // When it is due, rounded up to the engine's tick; time_point::max() while its group is paused. While a periodic
  // timer runs, this is the deadline for which that run was armed. None if pending() is false. Lock-free.
  std::optional<time_point> deadline() const noexcept;
  // From engine::now() to deadline(). Below zero if the timer is overdue; duration::max() if deadline() is
  // time_point::max().
  std::optional<duration> remaining() const noexcept;

  // Why the try_ call that returned this handle scheduled nothing; no error for any other handle.
  failure error() const noexcept;

  // Whether this is a handle at all. It stays one when its timer ends.
  explicit operator bool() const noexcept { return core_ != nullptr; }
  // Empty handles are equal, regardless of the reason.
  friend constexpr bool operator==(const timer& a, const timer& b) noexcept {
    return a.core_ == b.core_ && (a.id_ == b.id_ || a.core_ == nullptr);
  }
  friend constexpr std::strong_ordering operator<=>(const timer& a, const timer& b) noexcept {
    if (const auto order = std::compare_three_way{}(a.core_, b.core_); std::is_neq(order)) return order;
    return a.core_ == nullptr ? std::strong_ordering::equal : a.id_ <=> b.id_;
  }

 private:
  friend struct std::hash<timer>;
  friend class detail::timer_access;
  constexpr timer(void* core, std::uint64_t id) noexcept : core_(core), id_(id) {}

  void* core_ = nullptr;
  std::uint64_t id_ = 0;  // generation and more above, index below; of a refused call the reason and where it is kept
};
static_assert(sizeof(timer) == 16, "a handle fits two registers");

// Owns a timer. The destructor calls cancel_and_wait(), and an assignment does so for the timer that it replaces.
//   scoped_timer idle = engine.schedule_after(30s, [this] { close(); });
// It may outlive the engine: after ~engine has returned, every call on it does nothing and answers gone, false or none,
// even if another engine has come to that address. While ~engine runs on another thread it must not be used, except by
// a callback or a capture that ~engine waits for.
class scoped_timer {
 public:
  scoped_timer() noexcept = default;
  // The engine must not have ended. The result of a schedule call converts by itself; a handle that has a name does
  // not.
  scoped_timer(timer&& owned) noexcept : scoped_timer(std::as_const(owned)) {}
  explicit scoped_timer(const timer& owned) noexcept : timer_(owned), engine_(owned ? engine_of(owned) : 0) {}
  scoped_timer(scoped_timer&& other) noexcept
      : timer_(std::exchange(other.timer_, {})), engine_(std::exchange(other.engine_, 0)) {}
  scoped_timer& operator=(scoped_timer&& other) noexcept {
    if (this != &other) {
      if (timer_) end();
      timer_ = std::exchange(other.timer_, {});
      engine_ = std::exchange(other.engine_, 0);
    }
    return *this;
  }
  ~scoped_timer() {
    if (timer_) end();
  }

  // These do what the timer's calls do.
  cancel_result cancel() noexcept { return lives() ? timer_.cancel() : cancel_result::gone; }
  cancel_result cancel_and_wait() noexcept { return lives() ? timer_.cancel_and_wait() : cancel_result::gone; }
  bool restart_at(detail::clock_time deadline) noexcept { return lives() && timer_.restart_at(deadline); }
  bool restart_after(detail::whole_duration delay) noexcept { return lives() && timer_.restart_after(delay); }
  bool pending() const noexcept { return lives() && timer_.pending(); }
  std::optional<time_point> deadline() const noexcept { return lives() ? timer_.deadline() : std::nullopt; }
  std::optional<duration> remaining() const noexcept { return lives() ? timer_.remaining() : std::nullopt; }
  // Whether it owns a handle. It still does when its timer has ended.
  explicit operator bool() const noexcept { return static_cast<bool>(timer_); }

  timer get() const noexcept { return timer_; }
  // Lets go of the timer without cancelling it.
  timer release() noexcept {
    engine_ = 0;
    return std::exchange(timer_, {});
  }

 private:
  static std::uint64_t engine_of(const timer& owned) noexcept;
  bool lives() const noexcept;
  void end() noexcept;

  timer timer_;
  std::uint64_t engine_ = 0;  // the engine's number, which no other engine of the process ever has
};

}  // namespace detent

template <>
struct std::hash<detent::timer> {
  std::size_t operator()(const detent::timer& t) const noexcept {
    // The index alone fills the low bits, the generation the high ones: one multiplication spreads both.
    return t.core_ == nullptr ? 0 : (std::hash<void*>{}(t.core_) ^ t.id_) * 0x9e3779b97f4a7c15u;
  }
};
