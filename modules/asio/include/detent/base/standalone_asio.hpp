// SPDX-License-Identifier: MIT
// The parts of standalone Asio that detent uses, as one type. Only this file and asio_tokens.hpp know its versions.
#pragma once

#include <detent/base/asio_tokens.hpp>

#if !__has_include(<asio/async_result.hpp>)
#error \
    "<detent/standalone_asio.hpp> needs the headers of standalone Asio; Debian and Ubuntu: apt-get install libasio-dev"
#endif

#include <asio/associated_allocator.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/dispatch.hpp>
#include <asio/error.hpp>
#include <asio/error_code.hpp>
#include <asio/execution/executor.hpp>
#include <asio/execution/outstanding_work.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/prefer.hpp>
#include <asio/system_executor.hpp>
#include <asio/version.hpp>

#include <memory>
#include <type_traits>
#include <utility>

#if __has_include(<asio/recycling_allocator.hpp>)
#include <asio/recycling_allocator.hpp>
#else
#include <asio/detail/recycling_allocator.hpp>
#endif
#if __has_include(<asio/deferred.hpp>)
#include <asio/deferred.hpp>
#elif __has_include(<asio/experimental/deferred.hpp>)
#include <asio/experimental/deferred.hpp>
#endif

namespace detent::base {

struct standalone_asio {
  using error_code = ::asio::error_code;
  using errors = ::asio::error::basic_errors;
  template <class T>
  using allocator_of = ::asio::associated_allocator_t<T>;
  template <class T, class Default = ::asio::system_executor>
  using executor_of = ::asio::associated_executor_t<T, Default>;
  template <class Executor>
  using work_guard = outstanding_work<standalone_asio, Executor>;

  // Memory that a thread keeps for its next allocation.
#if __has_include(<asio/recycling_allocator.hpp>)
  using recycled = ::asio::recycling_allocator<void>;
#else
  using recycled = ::asio::detail::recycling_allocator<void>;
#endif
  // The token of an operation that gets no other; void if this Asio has none for that.
#if __has_include(<asio/deferred.hpp>)
  using fallback_token = ::asio::deferred_t;
#elif __has_include(<asio/experimental/deferred.hpp>)
  using fallback_token = ::asio::experimental::deferred_t;
#else
  using fallback_token = void;
#endif
  // The token of a call that gets none: the executor's own, as from as_default_on(), or else the one above.
  template <class Executor, class Own = typename ::asio::default_completion_token<Executor>::type>
  using default_token = std::conditional_t<std::is_void_v<Own>, fallback_token, Own>;

  template <class T>
  static auto allocator(const T& of) noexcept {
    return ::asio::get_associated_allocator(of);
  }
  // The associated allocator, or else memory that the threads of a context recycle.
  template <class T>
  static auto memory(const T& of) noexcept {
    return ::asio::associated_allocator<T, recycled>::get(of, recycled());
  }
  template <class T>
  static auto executor(const T& of) noexcept {
    return executor(of, ::asio::system_executor());
  }
  template <class T, class Default>
  static auto executor(const T& of, const Default& otherwise) noexcept {
    return ::asio::associated_executor<T, Default>::get(of, otherwise);
  }
  // The executor with tracked work: as long as a copy of the result exists, its context has work. The older kind of
  // executors has calls for that instead of a property; strand<any_io_executor> names those calls as well, but cannot
  // make them.
  template <class Executor>
  static auto tracked(const Executor& on) {
    if constexpr (::asio::execution::is_executor<Executor>::value) {
      return ::asio::prefer(on, ::asio::execution::outstanding_work.tracked);
    } else {
      return ::asio::executor_work_guard<Executor>(on);
    }
  }
  template <class Executor, class F>
  static void dispatch(const Executor& on, F&& what) {
    ::asio::dispatch(on, std::forward<F>(what));
  }
  template <class Executor, class F>
  static void post(const Executor& on, F&& what) {
    ::asio::post(on, std::forward<F>(what));
  }
  template <class Token, class... Signatures, class Initiation, class... Args>
  static decltype(auto) initiate(Initiation&& initiation, Token& token, Args&&... args) {
    return ::asio::async_initiate<Token, Signatures...>(std::forward<Initiation>(initiation), token,
                                                        std::forward<Args>(args)...);
  }
};

}  // namespace detent::base

// Cancellation slots are there from Asio 1.20 on.
#if ASIO_VERSION >= 102000
#include <asio/associated_cancellation_slot.hpp>
#include <asio/associator.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/cancellation_type.hpp>

namespace detent::base {

// The part of standalone_asio that deals with cancellation.
struct standalone_asio_slots {
  static constexpr bool exist = true;
  using signal = ::asio::cancellation_signal;
  using slot = ::asio::cancellation_slot;
  using type = ::asio::cancellation_type;
  static constexpr type any = type::terminal | type::partial | type::total;

  template <class T>
  static auto slot_of(const T& handler) noexcept {
    return ::asio::get_associated_cancellation_slot(handler);
  }
};
template <>
struct slots_of<standalone_asio> : standalone_asio_slots {};

}  // namespace detent::base

template <class Token, class... Signatures>
class asio::async_result<detent::detail::timed_token<detent::base::standalone_asio, Token>, Signatures...>
    : public detent::detail::timed_result<detent::base::standalone_asio, Token, Signatures...> {};

template <class... Signatures>
class asio::async_result<detent::detail::partial_limit<detent::base::standalone_asio>, Signatures...>
    : public detent::detail::partial_result<detent::base::standalone_asio, Signatures...> {};

template <template <class, class> class Associator, class Handler, class Limit, class Default>
struct asio::associator<Associator, detent::detail::timed_handler<detent::base::standalone_asio, Handler, Limit>,
                        Default> : detent::base::inner_associator<Associator, Handler, Default> {};

template <template <class, class> class Associator, class Initiation, class... Signatures, class Default>
struct asio::associator<
    Associator, detent::detail::timed_initiation<detent::base::standalone_asio, Initiation, Signatures...>, Default>
    : detent::base::inner_associator<Associator, Initiation, Default> {};

#endif
