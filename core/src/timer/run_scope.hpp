// SPDX-License-Identifier: MIT
// Which callbacks the calling thread is inside of.
#pragma once

#include <detent/detail/timer_access.hpp>
#include <detent/firing.hpp>

#include <cstdint>

namespace detent::detail {

// One running callback; they nest where a callback runs another engine's poll().
class run_scope {
 public:
  run_scope(engine_core* core, std::uint32_t index, std::uint32_t generation) noexcept
      : core_(core), index_(index), generation_(generation), outer_(innermost) {
    innermost = this;
  }
  ~run_scope() { innermost = outer_; }
  run_scope(const run_scope&) = delete;
  run_scope& operator=(const run_scope&) = delete;

  // The run as its callback sees it. `self` is empty for a timer that its engine has given back.
  firing& view() noexcept { return view_; }
  void describe(nanoseconds_t deadline, nanoseconds_t started, std::uint64_t missed, bool stale) noexcept {
    view_.deadline_ = to_time(deadline);
    view_.started_ = to_time(started);
    view_.missed_ = missed;
    view_.stale_ = stale;
    if (core_ != nullptr) view_.self_ = timer_access::make(core_, index_, generation_);
  }
  bool rearmed() const noexcept { return view_.rearmed_; }
  nanoseconds_t rearm_deadline() const noexcept { return to_ns(view_.rearm_deadline_); }

  // Whether the calling thread is inside a callback of `core`.
  static bool inside(const engine_core& core) noexcept {
    for (const run_scope* each = innermost; each != nullptr; each = each->outer_) {
      if (each->core_ == &core) return true;
    }
    return false;
  }
  // f(core, index) for each callback that the calling thread is inside of, and whose engine has not given it back.
  template <class F>
  static void for_each(F&& f) {
    for (const run_scope* each = innermost; each != nullptr; each = each->outer_) {
      if (each->core_ != nullptr) f(*each->core_, each->index_);
    }
  }
  // Whether it is inside this very timer's callback.
  static bool inside(const engine_core& core, std::uint32_t index, std::uint32_t generation) noexcept {
    for (const run_scope* each = innermost; each != nullptr; each = each->outer_) {
      if (each->core_ == &core && each->index_ == index && each->generation_ == generation) return true;
    }
    return false;
  }

 private:
  // In the static TLS block, as each run reads it.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local run_scope* innermost;

  engine_core* core_;
  std::uint32_t index_;
  std::uint32_t generation_;
  run_scope* outer_;
  firing view_;
};

}  // namespace detent::detail
