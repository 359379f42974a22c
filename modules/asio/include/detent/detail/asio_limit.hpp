// SPDX-License-Identifier: MIT
// An operation with a time limit, from its initiation until its handler is called or destroyed, and its timer is gone.
// `Asio` is base::boost_asio or base::standalone_asio.
#pragma once

#include <detent/base/asio_contexts.hpp>
#include <detent/base/asio_tokens.hpp>
#include <detent/detail/asio_inbox.hpp>
#include <detent/detail/inbox_entry.hpp>
#include <detent/detail/kept_arguments.hpp>
#include <detent/detail/limit_state.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace detent::detail {

// Says where an operation's handlers run: they pass through the executor of its I/O object and the handler's own. Only
// both together keep one thread at a time in the operation. For example, use_future's executor is a place of its own: a
// post there would run on another thread than the completion, which it runs at once.
template <class Origin, class Own>
struct completion_path {
  Origin origin;
  Own own;
};

// How far an emission has come through the queues to the place where the operation's handlers run.
enum class emission_stage : std::uint8_t { at_origin, there };

// The function that is queued for one stage of an emission. It may be destroyed unrun with its queue. The memory that a
// queue needs for it lies in the limit, which queues one step at a time. The posting thread may be the engine's, which
// has no memory that the context recycles, and it must not use the handler's memory.
template <class Limit, emission_stage Stage>
class emission_step {
 public:
  using allocator_type = function_allocator<void, typename Limit::recycled>;

  explicit emission_step(Limit& of) noexcept : of_(&of) {}
  emission_step(emission_step&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  emission_step& operator=(emission_step&&) = delete;
  ~emission_step() {
    if (of_ != nullptr) of_->let_go();
  }

  allocator_type get_allocator() const noexcept { return allocator_type(of_->memory_of_emission()); }
  void operator()() {
    Limit& of = *std::exchange(of_, nullptr);
    if constexpr (Stage == emission_stage::at_origin) {
      of.pass();
    } else {
      of.arrive();
    }
  }

 private:
  Limit* of_;
};

// Lies in the caller's cancellation slot. Either of the two may be gone before the other.
template <class Limit>
class limit_proxy {
 public:
  explicit limit_proxy(Limit& of) noexcept : of_(&of) { of.know(this); }
  limit_proxy(const limit_proxy&) = delete;
  limit_proxy& operator=(const limit_proxy&) = delete;
  ~limit_proxy() {
    if (of_ != nullptr) of_->know(nullptr);
  }

  void forget() noexcept { of_ = nullptr; }
  void operator()(typename Limit::type type) {
    if (of_ != nullptr) of_->pass_on(type);
  }

 private:
  Limit* of_;
};

// Lies in memory of the handler's allocator, which is free again before the handler is called.
template <class Asio, class Handler, class Path, class... Signatures>
class time_limit final : public limit_state {
 public:
  using slots = base::slots_of<Asio>;
  using type = typename slots::type;
  using recycled = typename Asio::recycled;
  using proxy = limit_proxy<time_limit>;

  // Throws what the handler's allocator and move throw, and leaves nothing behind then.
  static time_limit& make(Handler&& handler, const Path& path, type emitted) {
    allocator memory(Asio::memory(handler));
    time_limit* const raw = traits::allocate(memory, 1);
    try {
      return *::new (static_cast<void*>(raw)) time_limit(std::move(handler), path, emitted, memory);
    } catch (...) {
      traits::deallocate(memory, raw, 1);
      throw;
    }
  }

  const Handler& handler() const noexcept { return *handler_; }
  typename slots::slot slot() noexcept { return signal_.slot(); }
  function_memory& memory_of_emission() noexcept { return for_emission_; }
  void know(proxy* there) noexcept { proxy_ = there; }

  // One of these two is called, once, for the operation's end, where its handlers run. complete() throws what the
  // handler throws. If an emission is on its way, the arguments must be kept until it has gone; if that throws, the
  // handler is destroyed uncalled.
  template <class... Args>
  void complete(Args&&... args) {
    if (this->end(true)) {
      Handler called(take());
      std::move(called)(std::forward<Args>(args)...);
      return;
    }
    try {
      arguments_.keep(std::forward<Args>(args)...);
      until_called_.emplace(path_->own);
    } catch (...) {
      if (this->unpin_uncompleted()) abandon();
      throw;
    }
    if (this->unpin()) conclude();
  }
  void destroy() noexcept {
    this->end(false);
    if (this->unpin()) abandon();
  }

  // An emission's first step, and the next one, at the place where the operation's handlers run.
  void pass() {
    const auto own = path_->own;
    Asio::dispatch(own, emission_step<time_limit, emission_stage::there>(*this));
  }
  void arrive() {
    if (!this->has_ended()) signal_.emit(type_);
    if (this->unpin()) conclude();
  }
  void pass_on(type emitted) {
    if (!this->pin()) return;
    signal_.emit(emitted);
    if (this->unpin()) conclude();
  }

 private:
  using allocator = typename std::allocator_traits<decltype(Asio::memory(
      std::declval<const Handler&>()))>::template rebind_alloc<time_limit>;
  using traits = std::allocator_traits<allocator>;
  using own_work = typename Asio::template work_guard<decltype(Path::own)>;

  time_limit(Handler&& handler, const Path& path, type emitted, const allocator& memory)
      : handler_(std::move(handler)),
        path_(path),
        inbox_(inbox_of<Asio>(path.origin).inbox),
        type_(emitted),
        memory_(memory) {
    auto outer = slots::slot_of(*handler_);
    if (outer.is_connected()) outer.template emplace<proxy>(*this);
  }
  ~time_limit() = default;

  // Moves the handler out, so that the user's objects go with it and not with the thread that releases this last.
  Handler take() {
    Handler taken(std::move(*handler_));
    handler_.reset();
    if (proxy_ != nullptr) std::exchange(proxy_, nullptr)->forget();
    path_.reset();
    until_called_.reset();
    this->leave();
    return taken;
  }
  void conclude() {
    if (!this->is_completed()) return abandon();
    [[maybe_unused]] const std::optional<own_work> work(std::move(until_called_));
    arguments_.give_to([this](auto arguments) {
      Handler called(take());
      std::apply(std::move(called), std::move(arguments));
    });
  }

  bool post() noexcept override {
    return inbox_->while_open([this] {
      base::with_target<Asio>(path_->origin, [this](const auto& target) {
        Asio::post(target, emission_step<time_limit, emission_stage::at_origin>(*this));
      });
    });
  }
  void abandon() noexcept override { static_cast<void>(take()); }
  void free() noexcept override {
    allocator memory(memory_);
    this->~time_limit();
    traits::deallocate(memory, this, 1);
  }

  std::optional<Handler> handler_;
  std::optional<Path> path_;
  const inbox_hold inbox_;  // of the origin
  const type type_;
  typename slots::signal signal_;
  proxy* proxy_ = nullptr;  // as long as the caller's slot has it
  [[no_unique_address]] allocator memory_;
  function_memory for_emission_;
  kept_arguments<Signatures...> arguments_;  // for a completion that waits for an emission
  std::optional<own_work> until_called_;     // also keeps the context running
};

}  // namespace detent::detail
