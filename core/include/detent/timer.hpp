// SPDX-License-Identifier: MIT
#pragma once

#include <detent/time.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

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
// thread and in any order; a stale handle reaches nobody. Must not be used after the engine's destruction.
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

// Owns a timer: its destructor is cancel_and_wait(). Must not outlive the engine.
class scoped_timer {
 public:
  scoped_timer() noexcept = default;
  explicit scoped_timer(timer owned) noexcept : timer_(owned) {}
  scoped_timer(scoped_timer&& other) noexcept : timer_(other.release()) {}
  scoped_timer& operator=(scoped_timer&& other) noexcept {
    if (this != &other) {
      timer_.cancel_and_wait();
      timer_ = other.release();
    }
    return *this;
  }
  ~scoped_timer() { timer_.cancel_and_wait(); }

  timer get() const noexcept { return timer_; }
  // Lets go of the timer without cancelling it.
  timer release() noexcept {
    timer released = timer_;
    timer_ = {};
    return released;
  }

 private:
  timer timer_;
};

}  // namespace detent

template <>
struct std::hash<detent::timer> {
  std::size_t operator()(const detent::timer& t) const noexcept {
    // The index alone fills the low bits, the generation the high ones: one multiplication spreads both.
    return (std::hash<void*>{}(t.core_) ^ t.id_) * 0x9e3779b97f4a7c15u;
  }
};
