// SPDX-License-Identifier: MIT
// One asynchronous sleep: the completion handler from its initiation until it is completed, exactly once.
// `Asio` is base::boost_asio or base::standalone_asio.
#pragma once

#include <detent/base/asio_tokens.hpp>
#include <detent/detail/stoppable.hpp>
#include <detent/detail/timer_access.hpp>
#include <detent/engine.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace detent::detail {

// A handler with its result, as an executor takes it.
template <class Asio, class Handler>
class sleep_completion {
 public:
  using allocator_type = typename Asio::template allocator_of<Handler>;

  sleep_completion(Handler&& handler, typename Asio::error_code result)
      : handler_(std::move(handler)), result_(result) {}
  allocator_type get_allocator() const noexcept { return Asio::allocator(handler_); }
  void operator()() { std::move(handler_)(result_); }

 private:
  Handler handler_;
  typename Asio::error_code result_;
};

enum class completion_place : std::uint8_t {
  here_if_allowed,  // at once, where the handler's executor runs on this thread
  queued            // never from inside this call
};

// While it exists, this thread is giving one sleep to its engine. A refusal destroys the callback inside that call; the
// initiation then completes the sleep, as it alone knows why.
class sleep_initiation {
 public:
  explicit sleep_initiation(const void* sleep) noexcept : sleep_(sleep) { current_ = this; }
  sleep_initiation(const sleep_initiation&) = delete;
  sleep_initiation& operator=(const sleep_initiation&) = delete;
  ~sleep_initiation() { current_ = nullptr; }

  bool refused() const noexcept { return refused_; }
  // Whether it is this thread that is initiating `sleep`, and then will complete it.
  static bool leave_to_it(const void* sleep) noexcept {
    return current_ != nullptr && current_->sleep_ == sleep && (current_->refused_ = true);
  }

 private:
  static inline constinit thread_local sleep_initiation* current_ = nullptr;
  const void* sleep_;
  bool refused_ = false;
};

// Lives in memory of the handler's allocator, from its initiation to its completion.
template <class Asio, class Handler>
class asio_sleep {
 public:
  // Throws what the handler's allocator and move throw; nothing is left over.
  static asio_sleep& make(Handler&& handler) {
    allocator memory(Asio::allocator(handler));
    asio_sleep* raw = traits::allocate(memory, 1);
    try {
      return *::new (static_cast<void*>(raw)) asio_sleep(std::move(handler));
    } catch (...) {
      traits::deallocate(memory, raw, 1);
      throw;
    }
  }

  // The engine let go of it uncalled.
  void abort() {
    if (sleep_initiation::leave_to_it(this)) return;
    complete(Asio::errors::operation_aborted, completion_place::queued);
  }
  // The operation's memory is free before the handler runs, which may want it for its next operation.
  void complete(typename Asio::error_code result, completion_place place) {
    sleep_completion<Asio, Handler> completion(std::move(handler_), result);
    work_guard work(std::move(work_));
    allocator memory(completion.get_allocator());
    std::destroy_at(this);
    traits::deallocate(memory, this, 1);
    if (place == completion_place::here_if_allowed) {
      Asio::dispatch(work.get_executor(), std::move(completion));
    } else {
      Asio::post(work.get_executor(), std::move(completion));
    }
  }

 private:
  using allocator =
      typename std::allocator_traits<typename Asio::template allocator_of<Handler>>::template rebind_alloc<asio_sleep>;
  using traits = std::allocator_traits<allocator>;
  using work_guard = typename Asio::template work_guard<typename Asio::template executor_of<Handler>>;

  explicit asio_sleep(Handler&& handler) : handler_(std::move(handler)), work_(Asio::executor(handler_)) {}

  Handler handler_;
  work_guard work_;
};

// The timer's callback, held by the engine. It is destroyed uncalled if the sleep is cancelled or the engine ends.
template <class Asio, class Handler>
class sleep_callback {
 public:
  explicit sleep_callback(asio_sleep<Asio, Handler>& sleep) noexcept : sleep_(&sleep) {}
  sleep_callback(sleep_callback&& other) noexcept : sleep_(std::exchange(other.sleep_, nullptr)) {}
  sleep_callback& operator=(sleep_callback&&) = delete;
  ~sleep_callback() {
    if (sleep_ != nullptr) sleep_->abort();
  }

  void operator()(firing& run) {
    asio_sleep<Asio, Handler>& sleep = *std::exchange(sleep_, nullptr);
    if (run.self()) {
      sleep.complete({}, completion_place::here_if_allowed);
    } else {  // run after the engine's stop(): its time has not come
      sleep.abort();
    }
  }

 private:
  asio_sleep<Asio, Handler>* sleep_;
};

// Why the engine refused, in Asio's terms.
template <class Asio>
typename Asio::error_code asio_refusal(const error& refused) noexcept {
  if (refused.code() == errc::capacity_exceeded) return Asio::errors::no_buffer_space;
  if (refused.code() == errc::out_of_memory) return Asio::errors::no_memory;
  if (refused.code() == errc::stopped) return Asio::errors::operation_aborted;
  return Asio::errors::operation_not_supported;
}

template <class Callback>
void arm_sleep(engine& on, duration delay, base::stop_token stop, Callback&& callback) {
  if (stop.stop_possible()) {
    on.schedule_after(delay, std::move(stop), std::forward<Callback>(callback));
  } else {
    on.schedule_after(delay, std::forward<Callback>(callback));
  }
}
template <class Callback>
void arm_sleep(engine& on, time_point deadline, base::stop_token stop, Callback&& callback) {
  if (!stop.stop_possible()) {
    on.schedule_at(deadline, std::forward<Callback>(callback));
    return;
  }
  const duration ahead(subtract_saturated(to_ns(deadline), to_ns(on.now())));
  engine_core& core = *timer_access::core(on);
  const engine_hold until_restarted(core);  // the sleep may be over before that, and its handler end the engine
  const timer armed = on.schedule_after(ahead, std::move(stop), std::forward<Callback>(callback));
  restart_held(core, armed, to_ns(deadline));  // the clock went on between its two readings
}

// async_initiate calls this with the handler that it made of a completion token.
template <class Asio>
struct initiate_sleep {
  template <class Handler, class When>
  void operator()(Handler&& handler, engine* on, When when) const {
    using stored = std::decay_t<Handler>;
    base::stop_token stop = base::slots_of<Asio>::cancellation_token(handler);
    asio_sleep<Asio, stored>& sleep = asio_sleep<Asio, stored>::make(stored(std::forward<Handler>(handler)));
    sleep_initiation mine(&sleep);
    typename Asio::error_code why = Asio::errors::operation_aborted;
    try {
      arm_sleep(*on, when, std::move(stop), sleep_callback<Asio, stored>(sleep));
    } catch (const error& refused) {
      why = asio_refusal<Asio>(refused);
    }
    if (mine.refused()) sleep.complete(why, completion_place::queued);
  }
};

}  // namespace detent::detail
