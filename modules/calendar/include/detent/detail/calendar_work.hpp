// SPDX-License-Identifier: MIT
// A user's callback as a calendar keeps it: of any type that can be moved, in a box of its own.
#pragma once

#include <detent/calendar_options.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace detent::detail {

class calendar_core;

class calendar_work {
 public:
  calendar_work() = default;
  calendar_work(const calendar_work&) = delete;
  calendar_work& operator=(const calendar_work&) = delete;
  virtual ~calendar_work() = default;
  virtual void run(calendar_firing& at) = 0;  // may throw what the callback throws
};

template <class F>
concept calendar_callback = std::is_invocable_v < std::decay_t<F>
&, calendar_firing& > || std::is_invocable_v<std::decay_t<F>&>;

template <class F>
class boxed_calendar_work final : public calendar_work {
 public:
  template <class Callable>                   // nothing copies or moves one
  explicit boxed_calendar_work(Callable&& f)  // NOLINT(bugprone-forwarding-reference-overload)
      : f_(std::forward<Callable>(f)) {}
  void run(calendar_firing& at) override {
    if constexpr (std::is_invocable_v<F&, calendar_firing&>) {
      static_cast<void>(f_(at));
    } else {
      static_cast<void>(f_());
    }
  }

 private:
  F f_;
};

template <class Callable>
std::unique_ptr<calendar_work> make_calendar_work(Callable&& f) {
  return std::make_unique<boxed_calendar_work<std::decay_t<Callable>>>(std::forward<Callable>(f));
}

}  // namespace detent::detail
