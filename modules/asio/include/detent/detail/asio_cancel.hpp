// SPDX-License-Identifier: MIT
// An asynchronous operation with a time limit: the token, the handler and the initiation that stand in for the user's.
// `Asio` is base::boost_asio or base::standalone_asio.
#pragma once

#include <detent/base/asio_tokens.hpp>
#include <detent/detail/asio_sleep.hpp>
#include <detent/engine.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

namespace detent::detail {

// Where an operation's handlers run: they come from the executor of its I/O object, through the handler's own. Only
// both together keep one thread at a time in the operation: use_future's executor is a place of its own, where a post
// would run on another thread than the completion, which it runs at once.
template <class Asio, class Origin, class Own>
class completion_path {
 public:
  completion_path(const Origin& origin, const Own& own) : origin_(origin), own_(own) {}

  template <class F>
  void post(F what) const {
    Asio::post(origin_, [own = own_, what = std::move(what)]() mutable { Asio::dispatch(own, std::move(what)); });
  }

 private:
  Origin origin_;
  Own own_;
};

// The state that the operation, its timer and the caller's cancellation slot share. The mutex is contended only where
// the time is up as the operation completes: it keeps the engine's thread from posting to a context once the operation
// has ended, since the context may end with it.
template <class Asio, class Path>
class time_limit : public std::enable_shared_from_this<time_limit<Asio, Path>> {
 public:
  using slots = base::slots_of<Asio>;

  time_limit(const Path& on, typename slots::type type) : on_(on), type_(type) {}

  typename slots::slot slot() noexcept { return signal_.slot(); }

  // Before the operation starts. An engine that refuses lets go of the callback: the time is up at once.
  template <class When>
  void arm(engine& by, When when);
  // The operation has been started. Before that, nothing is emitted: a slot takes one thread at a time.
  void started() {
    std::lock_guard lock(mutex_);
    started_ = true;
    if (due_ && !over_) post_emission();
  }
  // On any thread: the time is up, or the engine has let go of the timer.
  void expire() noexcept {
    std::lock_guard lock(mutex_);
    if (!over_) post_emission();
  }
  // On the executor, where the operation completes as well.
  void emit(typename slots::type type) {
    const auto kept = this->shared_from_this();  // an operation that completes in here lets go of it
    {
      std::lock_guard lock(mutex_);
      if (over_) return;
      emitting_ = true;
    }
    signal_.emit(type);
    emitting_ = false;
  }
  // The operation completed, or was destroyed uncompleted. From here on nothing is posted or emitted.
  void end() {
    std::optional<Path> on;  // what is the user's goes on this thread, not on the one that lets go of this object
    {
      std::lock_guard lock(mutex_);
      over_ = true;
      on.emplace(std::move(*on_));
      on_.reset();
    }
    timer_.request_stop();
    if (!emitting_) signal_.slot().clear();
  }

 private:
  void post_emission() {
    on_->post([self = this->shared_from_this()] { self->come_due(); });
  }
  void come_due() {
    {
      std::lock_guard lock(mutex_);
      due_ = true;
      if (!started_) return;  // started() posts again
    }
    emit(type_);
  }

  std::optional<Path> on_;  // until it is over
  typename slots::type type_;
  typename slots::signal signal_;
  base::stop_source timer_;  // cancels it, whether or not the engine is still there
  bool emitting_ = false;    // of the executor's thread alone

  std::mutex mutex_;
  bool started_ = false;
  bool due_ = false;
  bool over_ = false;
};

// The callback that the engine holds. It expires the limit once, when it is run or destroyed.
template <class Limit>
class limit_callback {
 public:
  explicit limit_callback(std::shared_ptr<Limit> limit) noexcept : limit_(std::move(limit)) {}
  limit_callback(limit_callback&&) noexcept = default;
  limit_callback& operator=(limit_callback&&) = delete;
  ~limit_callback() { (*this)(); }

  void operator()() noexcept {
    if (auto limit = std::exchange(limit_, nullptr)) limit->expire();
  }

 private:
  std::shared_ptr<Limit> limit_;
};

template <class Asio, class Path>
template <class When>
void time_limit<Asio, Path>::arm(engine& by, When when) {
  try {
    arm_sleep(by, when, timer_.get_token(), limit_callback<time_limit>(this->shared_from_this()));
  } catch (const error&) {  // the callback is destroyed, and with that has expired
  }
}

// The user's handler, with a slot of its own.
template <class Asio, class Handler, class Path>
class timed_handler {
 public:
  using limit = time_limit<Asio, Path>;
  using cancellation_slot_type = typename limit::slots::slot;

  timed_handler(Handler&& handler, std::shared_ptr<limit> of) : handler_(std::move(handler)), limit_(std::move(of)) {
    auto outer = limit::slots::slot_of(handler_);
    if (outer.is_connected()) outer.assign([to = limit_](typename limit::slots::type type) { to->emit(type); });
  }
  timed_handler(timed_handler&&) = default;
  timed_handler& operator=(timed_handler&&) = delete;
  ~timed_handler() {
    if (limit_) limit_->end();
  }

  cancellation_slot_type get_cancellation_slot() const noexcept { return limit_->slot(); }
  const Handler& inner() const noexcept { return handler_; }

  template <class... Args>
  void operator()(Args&&... args) {
    auto outer = limit::slots::slot_of(handler_);
    if (outer.is_connected()) outer.clear();
    std::exchange(limit_, nullptr)->end();
    std::move(handler_)(std::forward<Args>(args)...);
  }

 private:
  Handler handler_;
  std::shared_ptr<limit> limit_;
};

// The operation's initiation, called with such a handler.
template <class Asio, class Initiation>
class timed_initiation {
 public:
  explicit timed_initiation(Initiation&& initiation) : initiation_(std::move(initiation)) {}
  explicit timed_initiation(const Initiation& initiation) : initiation_(initiation) {}

  const Initiation& inner() const noexcept { return initiation_; }

  template <class Handler, class When, class Type, class... Args>
  void operator()(Handler&& handler, engine* by, When when, Type type, Args&&... args) {
    using stored = std::decay_t<Handler>;
    const auto own = Asio::executor(handler, Asio::executor(initiation_));
    const auto origin = Asio::executor(initiation_, own);
    using path = completion_path<Asio, std::remove_const_t<decltype(origin)>, std::remove_const_t<decltype(own)>>;
    auto mine = std::make_shared<time_limit<Asio, path>>(path(origin, own), type);
    timed_handler<Asio, stored, path> wrapped(stored(std::forward<Handler>(handler)), mine);
    mine->arm(*by, when);
    std::move(initiation_)(std::move(wrapped), std::forward<Args>(args)...);
    mine->started();
  }
  template <class Handler, class... Args>
  void operator()(Handler&& handler, Args&&... args) const {
    timed_initiation copy(initiation_);
    copy(std::forward<Handler>(handler), std::forward<Args>(args)...);
  }

 private:
  Initiation initiation_;
};

template <class Asio, class Token, class When>
class timed_token {
 public:
  using cancellation_type = typename base::slots_of<Asio>::type;

  timed_token(engine& by, When when, cancellation_type type, Token&& token)
      : by_(&by), when_(when), type_(type), token_(std::move(token)) {}
  timed_token(engine& by, When when, cancellation_type type, const Token& token)
      : by_(&by), when_(when), type_(type), token_(token) {}

 private:
  template <class, class, class, class...>
  friend class timed_result;

  engine* by_;
  When when_;
  cancellation_type type_;
  Token token_;
};

// Serves as async_result for such a token: the result of the user's token, for the wrapped initiation.
template <class Asio, class Token, class When, class... Signatures>
class timed_result {
 public:
  template <class Initiation, class Timed, class... Args>
  static decltype(auto) initiate(Initiation&& initiation, Timed&& timed, Args&&... args) {
    using inner = std::conditional_t<std::is_const_v<std::remove_reference_t<Timed>>, const Token, Token>;
    using token = std::conditional_t<std::is_lvalue_reference_v<Timed>, inner&, inner>;  // moved from, or copied
    return Asio::template initiate<token, Signatures...>(
        timed_initiation<Asio, std::decay_t<Initiation>>(std::forward<Initiation>(initiation)), timed.token_, timed.by_,
        timed.when_, timed.type_, std::forward<Args>(args)...);
  }
};

template <class Asio, class When, class Token>
auto limit_time(engine& by, When when, Token&& token, typename base::slots_of<Asio>::type type) {
  static_assert(base::slots_of<Asio>::exist,
                "cancel_after and cancel_at need cancellation slots: Boost 1.77 or Asio 1.20, and a standard library "
                "with std::stop_token");
  return timed_token<Asio, std::decay_t<Token>, When>(by, when, type, std::forward<Token>(token));
}

}  // namespace detent::detail
