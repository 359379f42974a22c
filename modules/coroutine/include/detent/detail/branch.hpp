// SPDX-License-Identifier: MIT
// An awaitable that is awaited beside others, in the frame of the coroutine that awaits them all.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/base/stop_token.hpp>
#include <detent/coroutine.hpp>
#include <detent/detail/parties.hpp>
#include <detent/detail/stoppable.hpp>
#include <detent/error.hpp>

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace detent::detail {

template <class A>
decltype(auto) awaiter_of(A&& of) {
  if constexpr (requires { std::forward<A>(of).operator co_await(); }) {
    return std::forward<A>(of).operator co_await();
  } else if constexpr (requires { operator co_await(std::forward<A>(of)); }) {
    return operator co_await(std::forward<A>(of));
  } else {
    return std::forward<A>(of);
  }
}
template <class A>
using await_result = decltype(awaiter_of(std::declval<A>()).await_resume());
template <class A>
concept awaitable = requires {
  typename await_result<A>;
};

template <class A>
concept branchable = awaitable<A> || std::is_invocable_v<A&, base::stop_token>;

// A sleep that a branch can be asked to give up. Holds the engine's core, because it may be asked when it is over.
class branch_sleep : public sleep_awaiter {
 public:
  explicit branch_sleep(sleep_awaiter&& of) noexcept : sleep_awaiter(std::move(of)), held_(*core_) {}
  explicit branch_sleep(sleep_with_options&& of) noexcept
      : sleep_awaiter(std::move(of)), options_(of.options()), held_(*core_) {}
  explicit branch_sleep(group_sleep&& of) noexcept
      : sleep_awaiter(std::move(of)), options_(of.options()), on_(of.place()), held_(*core_) {}
  branch_sleep(branch_sleep&& other) noexcept
      : sleep_awaiter(std::move(other)), options_(other.options_), on_(other.on_), held_(*core_) {}

  // Any thread may call it until the frame ends. (1) seq_cst: before (2) and (4), so that one of the two threads finds
  // the other.
  void ask() noexcept {
    asked_.store(true, base::seq_cst);
    if (armed_.load(base::seq_cst)) hurry();  // (2)
  }
  bool await_ready() noexcept { return asked_.load(base::acquire) || sleep_awaiter::await_ready(); }
  void await_suspend(base::coroutine_handle sleeper) {
    const timer_options* const options = options_ ? &*options_ : nullptr;
    arm_sleep(sleeper, on_ ? on_->with(options) : timer_terms{options});
    armed_.store(true, base::seq_cst);        // (3) seq_cst: before (4), as in ask()
    if (asked_.load(base::seq_cst)) hurry();  // (4)
    settle();
  }
  bool await_resume() {
    const bool elapsed = sleep_awaiter::await_resume();
    return elapsed && !asked_.load(base::acquire);  // acquire: pairs with (1), which says no more than that
  }

 private:
  const std::optional<timer_options> options_;
  const std::optional<place> on_;  // none: the engine itself
  const engine_hold held_;
  base::atomic<bool> asked_{false}, armed_{false};
};

// The awaitable that stands in for A, and the way to ask it to stop. A sleep is asked by ask(), and a call of a
// function by the stop token that it is given, for which the standard library allocates. An awaitable with neither
// cannot be asked.
template <class A>
class branch_awaitable {
 public:
  explicit branch_awaitable(A&& of) : of_(std::forward<A>(of)) {}
  decltype(auto) await() { return awaiter_of(static_cast<A&&>(of_)); }
  void ask() noexcept {
    if constexpr (requires { of_.ask(); }) of_.ask();
  }

 private:
  A of_;
};
template <class Sleep>
requires std::is_same_v<Sleep, sleep_awaiter> || std::is_same_v<Sleep, sleep_with_options> ||
    std::is_same_v<Sleep, group_sleep>
class branch_awaitable<Sleep> {
 public:
  explicit branch_awaitable(Sleep&& of) noexcept : of_(std::move(of)) {}
  branch_sleep& await() noexcept { return of_; }
  void ask() noexcept { of_.ask(); }

 private:
  branch_sleep of_;
};
// A pointer to a function, or a std::function, but not a lambda.
template <class F>
inline constexpr bool is_nullable = std::is_constructible_v<std::decay_t<F>, std::nullptr_t>&& requires(const F& f) {
  { f == nullptr } -> std::convertible_to<bool>;
};

template <class F>
requires std::is_invocable_v<F&, base::stop_token>
class branch_awaitable<F> {
 public:
  explicit branch_awaitable(F&& of) : of_(std::forward<F>(of)) {
    if constexpr (is_nullable<F>) {
      if (of_ == nullptr)
        throw error(errc::invalid_option, "with_timeout, when_any or when_all: of = null: must be a function");
    }
  }
  branch_awaitable(branch_awaitable&& other) : of_(std::forward<F>(other.of_)), source_(std::move(other.source_)) {}
  decltype(auto) await() {
    made_.emplace(of_, source_.get_token());
    return awaiter_of(std::move(made_->result));
  }
  void ask() noexcept { source_.request_stop(); }

 private:
  struct made {
    made(F& from, base::stop_token stop) : result(from(std::move(stop))) {}
    std::invoke_result_t<F&, base::stop_token> result;
  };
  F of_;
  base::stop_source source_;
  std::optional<made> made_;
};

template <class A>
using branch_awaiter = decltype(std::declval<branch_awaitable<A>&>().await());
template <class A>
using branch_result = decltype(std::declval<branch_awaiter<A>>().await_resume());
template <class T>
using stored = std::conditional_t<std::is_void_v<T>, std::monostate, std::decay_t<T>>;

// Counts the branches that a coroutine waits for, and the coroutine itself while it begins them.
class joint : public parties {
 public:
  void begin(std::coroutine_handle<> waiting, std::size_t count) noexcept {
    waiting_ = waiting;
    parties::begin(count);
  }
  std::coroutine_handle<> waiting() const noexcept { return waiting_; }

 private:
  std::coroutine_handle<> waiting_;
};

// The room for the frame of a branch, so that the frame is not allocated. If an awaitable's awaiter or result is large,
// the frame may not fit, and is allocated then.
struct branch_room {
  alignas(std::max_align_t) std::byte bytes[448];
};

// A coroutine that awaits one awaitable for another coroutine. Whole has arrived(index), which returns the coroutine
// that goes on.
template <class Whole>
class branch {
 public:
  struct promise_type {
    template <class... More>
    static void* operator new(std::size_t size, branch_room& room, More&...) {
      return size <= sizeof room.bytes ? room.bytes : ::operator new(size);
    }
    static void operator delete(void* frame, std::size_t size) noexcept {
      if (size > sizeof(branch_room::bytes)) ::operator delete(frame);
    }
    template <class Awaitable, class Result>
    promise_type(branch_room&, Whole& of, std::size_t& at, Awaitable&, Result&) noexcept : whole(&of), index(at) {}

    branch get_return_object() noexcept { return branch(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct arrive {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> done) noexcept {
          return done.promise().whole->arrived(done.promise().index);
        }
        void await_resume() noexcept {}
      };
      return arrive{};
    }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }  // the body catches all exceptions

    Whole* whole;
    std::size_t index;
  };

  branch() noexcept = default;
  explicit branch(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
  branch(branch&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  branch& operator=(branch&& other) noexcept {
    end();
    frame_ = std::exchange(other.frame_, nullptr);
    return *this;
  }
  ~branch() { end(); }

  void start() { frame_.resume(); }
  void end() noexcept {
    if (frame_) std::exchange(frame_, nullptr).destroy();
  }

 private:
  std::coroutine_handle<promise_type> frame_;
};

// The end of an awaitable: its result or its exception.
template <class T>
struct branch_end {
  std::optional<stored<T>> value;
  std::exception_ptr thrown;

  stored<T> take() {
    if (thrown != nullptr) std::rethrow_exception(std::exchange(thrown, nullptr));
    return std::move(*value);
  }
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // g++ 12 takes the promise's pair for one of two classes
template <class Whole, class Awaitable, class T>
branch<Whole> begin_branch(branch_room&, Whole&, std::size_t, Awaitable& of, branch_end<T>& into) {
  try {
    auto&& awaiter = of.await();  // named, because g++ 12 copies what a call refers to
    if constexpr (std::is_void_v<T>) {
      co_await awaiter;
      into.value.emplace();
    } else {
      into.value.emplace(co_await awaiter);
    }
  } catch (...) {
    into.thrown = std::current_exception();
  }
}
#pragma GCC diagnostic pop

// An awaitable with everything that its branch needs.
template <class Whole, class A>
class branch_place {
 public:
  using result = branch_result<A>;

  explicit branch_place(A&& of) : of_(std::forward<A>(of)) {}
  // For moves before it is made.
  branch_place(branch_place&& other) : of_(std::move(other.of_)) {}
  // To be called before any branch begins, so that a missing resource leaves nothing half begun. Throws bad_alloc for a
  // frame that does not fit.
  void make(Whole& whole, std::size_t index) { branch_ = begin_branch(room_, whole, index, of_, end_); }
  void start() { branch_.start(); }
  void ask() noexcept { of_.ask(); }
  // To be called when the branch has ended, or its coroutine is destroyed.
  void clear() noexcept { branch_.end(); }
  branch_end<result>& end() noexcept { return end_; }

 private:
  branch_awaitable<A> of_;
  branch_end<result> end_;
  branch_room room_;
  branch<Whole> branch_;
};

}  // namespace detent::detail
