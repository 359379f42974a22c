// SPDX-License-Identifier: MIT
// co_await when_all(a, b, ...) and when_any(a, b, ...): sleeps and other awaitables beside each other.
#pragma once

#include <detent/detail/branch.hpp>

#include <optional>
#include <tuple>
#include <utility>

namespace detent {

namespace detail {

// The common part of the two. Derived has note_end(index), which says whether the others must give up.
template <class Derived, class... A>
class branches {
 public:
  branches& operator=(const branches&) = delete;

  bool await_ready() const noexcept { return false; }
  // Throws bad_alloc if a branch does not fit its room; nothing has begun then.
  bool await_suspend(std::coroutine_handle<> waiting) {
    for_each([this](auto& place, std::size_t index) { place.make(static_cast<Derived&>(*this), index); });
    joint_.begin(waiting, sizeof...(A) + 1);
    if (stop_.stop_possible()) hook_.emplace(stop_, on_stop{this});
    for_each([](auto& place, std::size_t) { place.start(); });
    return !joint_.arrive();
  }
  // Asks all branches to give up that can be asked. Any thread may call it while this is awaited.
  void ask() noexcept {
    for_each([](auto& place, std::size_t) { place.ask(); });
  }
  // Called by a branch when its awaitable has ended. Returns the coroutine that goes on.
  std::coroutine_handle<> arrived(std::size_t index) noexcept {
    if (static_cast<Derived*>(this)->note_end(index)) ask();
    return joint_.arrive() ? joint_.waiting() : std::noop_coroutine();
  }

 protected:
  // For moves before it is awaited.
  branches(branches&& other) : stop_(std::move(other.stop_)), of_(std::move(other.of_)) {}
  explicit branches(base::stop_token stop, A&&... of) : stop_(std::move(stop)), of_(std::forward<A>(of)...) {}
  ~branches() { clear(); }

  // Called when all have ended, or the coroutine is destroyed.
  void clear() noexcept {
    hook_.reset();
    for_each([](auto& place, std::size_t) { place.clear(); });
  }
  template <class F>
  void for_each(F&& f) {
    std::apply(
        [&f](auto&... place) {
          std::size_t index = 0;
          (f(place, index++), ...);
        },
        of_);
  }

 private:
  struct on_stop {
    branches* asked;
    // Counts as a party while it asks: what it asks may end at once, and with the last of them the coroutine's frame
    // ends.
    void operator()() const {
      if (!asked->joint_.join()) return;
      asked->ask();
      if (asked->joint_.arrive()) asked->joint_.waiting().resume();
    }
  };

  base::stop_token stop_;
  joint joint_;

 protected:
  std::tuple<branch_place<Derived, A>...> of_;

 private:
  std::optional<base::stop_callback<on_stop>> hook_;
};

}  // namespace detail

// The awaitable that when_all() returns, to be awaited once. Nothing beside the coroutine's frame is allocated.
template <class... A>
class [[nodiscard]] all_awaiter : public detail::branches<all_awaiter<A...>, A...> {
  using base_type = detail::branches<all_awaiter, A...>;

 public:
  explicit all_awaiter(base::stop_token stop, A&&... of) : base_type(std::move(stop), std::forward<A>(of)...) {}

  // Returns a tuple of the results, with std::monostate for one that has none. Throws the exception of the first
  // branch, in the order of the call, that has thrown.
  auto await_resume() {
    this->clear();
    return std::apply([](auto&... place) { return std::tuple{place.end().take()...}; }, this->of_);
  }
  bool note_end(std::size_t index) noexcept {
    bool has_thrown = false;
    this->for_each([&](auto& place, std::size_t at) { has_thrown |= at == index && place.end().thrown != nullptr; });
    return has_thrown;
  }
};

// The outcome of when_any(): which awaitable was the first to end, from 0, and the results of all that did not throw,
// in the order of the call.
template <class... T>
struct any_result {
  std::size_t index = 0;
  std::tuple<std::optional<T>...> values;
};

// The awaitable that when_any() returns, to be awaited once. Nothing beside the coroutine's frame is allocated.
template <class... A>
class [[nodiscard]] any_awaiter : public detail::branches<any_awaiter<A...>, A...> {
  using base_type = detail::branches<any_awaiter, A...>;

 public:
  explicit any_awaiter(base::stop_token stop, A&&... of) : base_type(std::move(stop), std::forward<A>(of)...) {}
  any_awaiter(any_awaiter&& other) : base_type(std::move(other)) {}

  // Throws the exception of the first one to end, if it has thrown. Exceptions of later ones are dropped.
  auto await_resume() {
    this->clear();
    const std::size_t first = first_.load(base::relaxed);  // relaxed: all have arrived
    this->for_each([first](auto& place, std::size_t at) {
      if (at == first && place.end().thrown != nullptr) static_cast<void>(place.end().take());
    });
    return std::apply(
        [first](auto&... place) {
          return any_result<detail::stored<typename std::decay_t<decltype(place)>::result>...>{
              first, {std::move(place.end().value)...}};
        },
        this->of_);
  }
  bool note_end(std::size_t index) noexcept {
    std::size_t found = nothing;
    // (1) acq_rel: pairs with itself; one of the branches is the first.
    return first_.compare_exchange_strong(found, index, base::acq_rel, base::relaxed);
  }

 private:
  static constexpr std::size_t nothing = static_cast<std::size_t>(-1);
  base::atomic<std::size_t> first_{nothing};
};

// Waits for all. As soon as one throws, or `stop` is requested, the others are asked to stop, as with_timeout() asks;
// each is waited for in any case. They begin in the order of the call, on the thread that awaits, and the coroutine
// goes on where the last of them ends.
template <detail::branchable... A>
requires(sizeof...(A) > 0) all_awaiter<A...> when_all(base::stop_token stop, A&&... of) {
  return all_awaiter<A...>(std::move(stop), std::forward<A>(of)...);
}
template <detail::branchable... A>
requires(sizeof...(A) > 0) all_awaiter<A...> when_all(A&&... of) {
  return all_awaiter<A...>(base::stop_token(), std::forward<A>(of)...);
}

// Waits for one. As soon as it has ended in any way, or `stop` is requested, the others are asked to stop, and waited
// for. So none of them is left behind when the coroutine goes on. An awaitable that cannot be asked takes its own time.
template <detail::branchable... A>
requires(sizeof...(A) > 0) any_awaiter<A...> when_any(base::stop_token stop, A&&... of) {
  return any_awaiter<A...>(std::move(stop), std::forward<A>(of)...);
}
template <detail::branchable... A>
requires(sizeof...(A) > 0) any_awaiter<A...> when_any(A&&... of) {
  return any_awaiter<A...>(base::stop_token(), std::forward<A>(of)...);
}

}  // namespace detent
