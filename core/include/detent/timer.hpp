// SPDX-License-Identifier: MIT
#pragma once

#include <detent/time.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace detent {

enum class cancel_result : std::uint8_t {
  cancelled,  // the callback will never start (again), and its captures are already destroyed
  running,    // it is executing now, and this is its last run, whatever it re-arms
  gone        // it has fired, was cancelled, dropped or returned, or never was
};

namespace detail {
class engine_core;
class timer_access;
}  // namespace detail

// A handle to one timer of one engine: 16 bytes, trivially copyable, owning nothing. Every call may be made from any
// thread and in any order; a stale handle reaches nobody. Must not be used after the engine's destruction, where the
// checked library (docs/faq.md) says so and aborts, unless another engine has come to that address.
class timer {
 public:
  constexpr timer() noexcept = default;

  // Lock-free; never blocks, but for a timer with a stop token: where a stop request cancels it at this moment, until
  // that is done.
  cancel_result cancel() noexcept;
  // Also waits until a running callback has ended; inside that callback it returns at once.
  cancel_result cancel_and_wait() noexcept;
  // True: it fires at the new deadline and not at the old one. False: no effect whatever. Lock-free.
  bool restart_at(time_point deadline) noexcept;
  bool restart_after(duration delay) noexcept;
  // Whether its callback will start (again) unless something is done.
  bool pending() const noexcept;

  // Whether it is a handle at all: a timer that has ended does not empty it.
  explicit operator bool() const noexcept { return core_ != nullptr; }
  friend auto operator<=>(const timer&, const timer&) = default;

 private:
  friend struct std::hash<timer>;
  friend class detail::timer_access;
  constexpr timer(void* core, std::uint64_t id) noexcept : core_(core), id_(id) {}

  void* core_ = nullptr;
  std::uint64_t id_ = 0;  // generation and more above, index below
};
static_assert(sizeof(timer) == 16, "a handle fits two registers");

// Owns a timer: its destructor is cancel_and_wait(). It may outlive the engine: after ~engine has returned, its
// destruction and an assignment to it do nothing, whatever engine has come to that address. While ~engine runs on
// another thread, it must not be destroyed or assigned to, unless by a callback or a capture that ~engine waits for.
class scoped_timer {
 public:
  scoped_timer() noexcept = default;
  // Of an engine that has not ended.
  explicit scoped_timer(timer owned) noexcept : timer_(owned), engine_(owned ? engine_of(owned) : 0) {}
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

  timer get() const noexcept { return timer_; }
  // Lets go of the timer without cancelling it.
  timer release() noexcept {
    engine_ = 0;
    return std::exchange(timer_, {});
  }

 private:
  static std::uint64_t engine_of(const timer& owned) noexcept;
  void end() noexcept;

  timer timer_;
  std::uint64_t engine_ = 0;  // its number, which no other engine of the process ever has
};

}  // namespace detent

template <>
struct std::hash<detent::timer> {
  std::size_t operator()(const detent::timer& t) const noexcept {
    // The index alone fills the low bits, the generation the high ones: one multiplication spreads both.
    return (std::hash<void*>{}(t.core_) ^ t.id_) * 0x9e3779b97f4a7c15u;
  }
};
