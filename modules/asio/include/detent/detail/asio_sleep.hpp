// SPDX-License-Identifier: MIT
// One asynchronous sleep: the completion handler from its initiation until it is completed, exactly once.
// `Asio` is base::boost_asio or base::standalone_asio.
#pragma once

#include <detent/base/asio_contexts.hpp>
#include <detent/base/asio_tokens.hpp>
#include <detent/detail/asio_inbox.hpp>
#include <detent/detail/asio_null_token.hpp>
#include <detent/detail/inbox_entry.hpp>
#include <detent/detail/place.hpp>
#include <detent/engine.hpp>
#include <detent/error.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace detent::detail {

// A completion handler, stored here or in memory of its own allocator.
template <class Asio, class Handler>
class stored_handler {
 public:
  explicit stored_handler(Handler&& handler) {
    if constexpr (is_here) {
      ::new (static_cast<void*>(here_)) Handler(std::move(handler));
    } else {
      allocator memory(Asio::allocator(handler));
      Handler* const raw = traits::allocate(memory, 1);
      try {
        ::new (static_cast<void*>(raw)) Handler(std::move(handler));
      } catch (...) {
        traits::deallocate(memory, raw, 1);
        throw;
      }
      ::new (static_cast<void*>(here_)) Handler*(raw);
    }
  }
  stored_handler(const stored_handler&) = delete;
  stored_handler& operator=(const stored_handler&) = delete;

  Handler& get() noexcept {
    if constexpr (is_here) {
      return *std::launder(reinterpret_cast<Handler*>(here_));
    } else {
      return **std::launder(reinterpret_cast<Handler**>(here_));
    }
  }
  // For a coroutine, or a handler that captures a pointer, this is the address of the memory that the handler works on.
  const void* first_word() const noexcept {
    const void* word = nullptr;
    if constexpr (sizeof(stored) >= sizeof(word)) std::memcpy(&word, here_, sizeof(word));
    return word;
  }
  // Moves the handler out. Called once.
  Handler take() {
    Handler taken(std::move(get()));
    destroy();
    return taken;
  }
  void destroy() noexcept {
    Handler& mine = get();
    if constexpr (is_here) {
      std::destroy_at(&mine);
    } else {
      allocator memory(Asio::allocator(mine));
      std::destroy_at(&mine);
      traits::deallocate(memory, &mine, 1);
    }
  }

 private:
  using allocator =
      typename std::allocator_traits<typename Asio::template allocator_of<Handler>>::template rebind_alloc<Handler>;
  using traits = std::allocator_traits<allocator>;
  static constexpr bool is_here = std::is_same_v<allocator, std::allocator<Handler>>;
  using stored = std::conditional_t<is_here, Handler, Handler*>;

  alignas(stored) std::byte here_[sizeof(stored)];
};

// Lies in the handler's cancellation slot. Either of the two may be gone before the other.
class sleep_hook {
 public:
  sleep_hook(inbox_entry& of, sleep_hook*& known_there) noexcept : of_(&of), known_there_(&known_there) {
    known_there = this;
  }
  sleep_hook(const sleep_hook&) = delete;
  sleep_hook& operator=(const sleep_hook&) = delete;
  ~sleep_hook() { forget(); }

  void forget() noexcept {
    if (std::exchange(of_, nullptr) != nullptr) *known_there_ = nullptr;
  }
  void cancel() noexcept {
    if (of_ != nullptr) of_->cancel();
  }

 private:
  inbox_entry* of_;
  sleep_hook** known_there_;
};

template <class Slots>
class sleep_slot : public sleep_hook {
 public:
  using sleep_hook::sleep_hook;
  void operator()(typename Slots::type type) noexcept {
    if ((type & Slots::any) != Slots::type::none) cancel();
  }
};

// The executor of handlers that have none of their own.
struct system_default {};

template <class Asio, class Handler, class Default>
auto executor_for(const Handler& handler, const Default& otherwise) noexcept {
  if constexpr (std::is_same_v<Default, system_default>) {
    return Asio::executor(handler);
  } else {
    return Asio::executor(handler, otherwise);
  }
}

template <class Asio, class Handler, class Default>
class asio_sleep final : public inbox_entry {
 public:
  // Returns null if the context has ended, and with it the handler. Throws what the handler's allocator and move throw,
  // and bad_alloc; then it leaves nothing behind.
  static asio_sleep* make(Handler&& handler, const Default& otherwise, engine_core& engine) {
    const auto on = executor_for<Asio>(handler, otherwise);
    const auto [own, is_plain] = inbox_of<Asio>(on);
    const bool alone = &own == &lone_inbox::get();
    context_inbox& inbox = alone ? inbox_of_object(otherwise) : own;
    const auto [place, block] = inbox.enter(sizeof(asio_sleep), engine);
    if (block == nullptr) return nullptr;
    asio_sleep* made = nullptr;
    try {
      made = ::new (block) asio_sleep(std::move(handler), otherwise, place, is_plain);
      made->hook();
      if (alone) made->keep_working(on);
    } catch (...) {
      if (made != nullptr) made->forget();
      inbox.leave(place, block);
      throw;
    }
    return made;
  }

  using inbox_entry::place;

 private:
  using slots = base::slots_of<Asio>;
  using contexts = base::contexts_of<Asio>;
  using to_run = entry_run<typename Asio::recycled>;
  using executor = decltype(executor_for<Asio>(std::declval<const Handler&>(), std::declval<const Default&>()));
  using work = typename Asio::template work_guard<executor>;

  asio_sleep(Handler&& handler, const Default& otherwise, const inbox_place& place, bool is_plain)
      : inbox_entry(place, is_plain), handler_(std::move(handler)), otherwise_(otherwise) {
    will_touch(handler_.first_word());
  }

  // If the executor belongs to no context, such as use_future's, the sleep goes to the context of the I/O object.
  static context_inbox& inbox_of_object(const Default& object) {
    if constexpr (std::is_same_v<Default, system_default>) {
      return lone_inbox::get();
    } else {
      return inbox_of<Asio>(object).inbox;
    }
  }
  void keep_working(const executor& on) {
    ::new (static_cast<void*>(alone_)) work(on);
    is_alone_ = true;
  }
  work& kept_work() noexcept { return *std::launder(reinterpret_cast<work*>(alone_)); }

  void hook() {
    if constexpr (slots::exist) {
      auto slot = slots::slot_of(handler_.get());
      if (slot.is_connected()) slot.template emplace<sleep_slot<slots>>(*this, hook_);
    }
  }
  void forward() noexcept override {
    if (std::exchange(is_alone_, false)) {
      const work mine(std::move(kept_work()));
      std::destroy_at(&kept_work());
      Asio::post(mine.get_executor(), to_run(*this));
    } else {
      const executor on = executor_for<Asio>(handler_.get(), otherwise_);
      base::with_target<Asio>(on, [this](const auto& target) { contexts::defer(target, to_run(*this)); });
    }
  }
  void run() override {
    fetch_ahead();
    if constexpr (slots::exist) {
      if (hook_ != nullptr) slots::slot_of(handler_.get()).clear();
    }
    const typename Asio::error_code result = how() == ending::elapsed ? typename Asio::error_code() : reason(how());
    const inbox_place place = this->place();
    Handler handler = handler_.take();
    std::destroy_at(this);
    place.inbox->leave(place, this);
    std::move(handler)(result);
  }
  void forget() noexcept override {
    if (hook_ != nullptr) hook_->forget();
    handler_.destroy();
    std::destroy_at(&otherwise_);  // ends with its context
    if (std::exchange(is_alone_, false)) std::destroy_at(&kept_work());
  }
  static typename Asio::errors reason(ending why) noexcept {
    switch (why) {
      case ending::no_space: return Asio::errors::no_buffer_space;
      case ending::no_memory: return Asio::errors::no_memory;
      case ending::unsupported: return Asio::errors::operation_not_supported;
      default: return Asio::errors::operation_aborted;
    }
  }

  stored_handler<Asio, Handler> handler_;
  sleep_hook* hook_ = nullptr;  // as long as the slot has it
  [[no_unique_address]] Default otherwise_;
  // Until it is forwarded: its executor belongs to no context with an inbox.
  bool is_alone_ = false;
  alignas(work) std::byte alone_[sizeof(work)];  // keeps that executor running if is_alone_
};

// Returns why the engine refused.
inline ending refusal(const std::error_code& problem) noexcept {
  if (problem == errc::capacity_exceeded) return ending::no_space;
  if (problem == errc::out_of_memory) return ending::no_memory;
  if (problem == errc::stopped) return ending::aborted;
  return ending::unsupported;
}

// Throws invalid_option before anything has begun.
template <class Token>
void check_sleep(const char* call, const place& on, const timer_options& options, const Token& token) {
  on.check(options);
  refuse_null(call, token);
}

// The initiation of an I/O object tells Asio its executor.
template <class Default>
class initiation_executor {
 public:
  using executor_type = Default;

  explicit initiation_executor(const Default& otherwise) : otherwise_(otherwise) {}
  executor_type get_executor() const noexcept { return otherwise_; }

 private:
  Default otherwise_;
};
template <>
class initiation_executor<system_default> {
 protected:
  system_default get_executor() const noexcept { return {}; }
};

// async_initiate calls this with the handler that it made of a completion token.
template <class Asio, class Default = system_default>
class initiate_sleep : public initiation_executor<Default> {
 public:
  using initiation_executor<Default>::initiation_executor;

  template <class Handler, class When>
  void operator()(Handler&& handler, const place& on, When when, timer_options options) const {
    using stored = std::decay_t<Handler>;
    auto* const sleep = asio_sleep<Asio, stored, Default>::make(stored(std::forward<Handler>(handler)),
                                                                this->get_executor(), on.core());
    if (sleep == nullptr) return;
    options.executor = on_driver();
    const timer made =
        on.try_schedule_at(deadline_of(on, when), entry_callback(*sleep, *sleep->place().inbox), options);
    if (made) {
      sleep->begin(made);
    } else {
      sleep->refuse(refusal(made.error()));
    }
  }

 private:
  static time_point deadline_of(const place&, time_point deadline) noexcept { return deadline; }
  static time_point deadline_of(const place& on, duration delay) noexcept {
    return to_time(deadline_after(&on.core(), delay.count()));
  }
};

}  // namespace detent::detail
