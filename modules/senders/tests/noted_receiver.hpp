// SPDX-License-Identifier: MIT
// A receiver that counts how its operation ends, and allows for no second end.
#pragma once

#include <detent/senders.hpp>

#include <atomic>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

namespace detent::testing {

namespace ex = base::found::execution;

enum class outcome { none, value, stopped, error };

// Written by the thread that completes.
class note {
 public:
  void set(outcome how, std::error_code why = {}) noexcept {
    problem_ = why;
    by_ = std::this_thread::get_id();
    times_.fetch_add(1);
    how_.store(how);
  }
  outcome how() const noexcept { return how_.load(); }
  int times() const noexcept { return times_.load(); }
  std::error_code problem() const noexcept { return problem_; }
  std::thread::id by() const noexcept { return by_; }
  outcome wait() const noexcept {
    while (how() == outcome::none) std::this_thread::yield();
    return how();
  }

 private:
  std::atomic<outcome> how_{outcome::none};
  std::atomic<int> times_{0};
  std::error_code problem_;
  std::thread::id by_;
};

template <class Token>
class noted_receiver {
 public:
  using receiver_concept = ex::receiver_tag;
  noted_receiver(note& into, Token stop) noexcept : into_(&into), stop_(std::move(stop)) {}

  void set_value() && noexcept { into_->set(outcome::value); }
  void set_stopped() && noexcept { into_->set(outcome::stopped); }
  void set_error(std::error_code why) && noexcept { into_->set(outcome::error, why); }

  struct env {
    Token stop;
    Token query(ex::get_stop_token_t) const noexcept { return stop; }
  };
  env get_env() const noexcept { return {stop_}; }

 private:
  note* into_;
  Token stop_;
};

template <class Token = ex::never_stop_token>
using operation_of = ex::connect_result_t<decltype(std::declval<scheduler>().schedule()), noted_receiver<Token>>;

// Connects in place: an operation does not move.
template <class Sender, class Token = ex::never_stop_token>
auto connect(const Sender& from, note& into, Token stop = Token{}) {
  return ex::connect(from, noted_receiver<Token>(into, std::move(stop)));
}
// Connects on the heap, for an operation that is destroyed as soon as it has completed.
template <class Sender, class Token = ex::never_stop_token>
auto connect_new(const Sender& from, note& into, Token stop = Token{}) {
  using operation = ex::connect_result_t<Sender, noted_receiver<Token>>;
  return std::unique_ptr<operation>(new operation(connect(from, into, std::move(stop))));
}
inline ex::stoppable_token token_of(const std::stop_source& source) { return ex::stoppable_token(source.get_token()); }

}  // namespace detent::testing
