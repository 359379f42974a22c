// SPDX-License-Identifier: MIT
// The parts of Boost.Asio that detent uses, as one type. Only this file and asio_tokens.hpp know its versions.
#pragma once

#include <detent/base/asio_tokens.hpp>

#if !__has_include(<boost/asio/async_result.hpp>)
#error "<detent/asio.hpp> needs the headers of Boost.Asio; Debian and Ubuntu: apt-get install libboost-dev"
#endif

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution/executor.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/system/error_code.hpp>
#include <boost/version.hpp>

#include <memory>
#include <type_traits>
#include <utility>

#if __has_include(<boost/asio/recycling_allocator.hpp>)
#include <boost/asio/recycling_allocator.hpp>
#else
#include <boost/asio/detail/recycling_allocator.hpp>
#endif
#if __has_include(<boost/asio/deferred.hpp>)
#include <boost/asio/deferred.hpp>
#elif __has_include(<boost/asio/experimental/deferred.hpp>)
#include <boost/asio/experimental/deferred.hpp>
#endif

namespace detent::base {

struct boost_asio {
  using error_code = boost::system::error_code;
  using errors = ::boost::asio::error::basic_errors;
  template <class T>
  using allocator_of = ::boost::asio::associated_allocator_t<T>;
  template <class T, class Default = ::boost::asio::system_executor>
  using executor_of = ::boost::asio::associated_executor_t<T, Default>;
  template <class Executor>
  using work_guard = outstanding_work<boost_asio, Executor>;

  // Memory that a thread keeps for its next allocation.
#if __has_include(<boost/asio/recycling_allocator.hpp>)
  using recycled = ::boost::asio::recycling_allocator<void>;
#else
  using recycled = ::boost::asio::detail::recycling_allocator<void>;
#endif
  // The token of an operation that gets no other; void if this Asio has none for that.
#if __has_include(<boost/asio/deferred.hpp>)
  using fallback_token = ::boost::asio::deferred_t;
#elif __has_include(<boost/asio/experimental/deferred.hpp>)
  using fallback_token = ::boost::asio::experimental::deferred_t;
#else
  using fallback_token = void;
#endif
  // The token of a call that gets none: the executor's own, as from as_default_on(), or else the one above.
  template <class Executor, class Own = typename ::boost::asio::default_completion_token<Executor>::type>
  using default_token = std::conditional_t<std::is_void_v<Own>, fallback_token, Own>;

  template <class T>
  static auto allocator(const T& of) noexcept {
    return ::boost::asio::get_associated_allocator(of);
  }
  // The associated allocator, or else memory that the threads of a context recycle.
  template <class T>
  static auto memory(const T& of) noexcept {
    return ::boost::asio::associated_allocator<T, recycled>::get(of, recycled());
  }
  template <class T>
  static auto executor(const T& of) noexcept {
    return executor(of, ::boost::asio::system_executor());
  }
  template <class T, class Default>
  static auto executor(const T& of, const Default& otherwise) noexcept {
    return ::boost::asio::associated_executor<T, Default>::get(of, otherwise);
  }
  // The executor with tracked work: as long as a copy of the result exists, its context has work. The older kind of
  // executors has calls for that instead of a property; strand<any_io_executor> names those calls as well, but cannot
  // make them.
  template <class Executor>
  static auto tracked(const Executor& on) {
    if constexpr (::boost::asio::execution::is_executor<Executor>::value) {
      return ::boost::asio::prefer(on, ::boost::asio::execution::outstanding_work.tracked);
    } else {
      return ::boost::asio::executor_work_guard<Executor>(on);
    }
  }
  template <class Executor, class F>
  static void dispatch(const Executor& on, F&& what) {
    ::boost::asio::dispatch(on, std::forward<F>(what));
  }
  template <class Executor, class F>
  static void post(const Executor& on, F&& what) {
    ::boost::asio::post(on, std::forward<F>(what));
  }
  template <class Token, class... Signatures, class Initiation, class... Args>
  static decltype(auto) initiate(Initiation&& initiation, Token& token, Args&&... args) {
    return ::boost::asio::async_initiate<Token, Signatures...>(std::forward<Initiation>(initiation), token,
                                                               std::forward<Args>(args)...);
  }
};

}  // namespace detent::base

// Cancellation slots are there from Boost 1.77 on.
#if BOOST_VERSION >= 107700
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>

namespace detent::base {

// The part of boost_asio that deals with cancellation.
struct boost_asio_slots {
  static constexpr bool exist = true;
  using signal = ::boost::asio::cancellation_signal;
  using slot = ::boost::asio::cancellation_slot;
  using type = ::boost::asio::cancellation_type;
  static constexpr type any = type::terminal | type::partial | type::total;

  template <class T>
  static auto slot_of(const T& handler) noexcept {
    return ::boost::asio::get_associated_cancellation_slot(handler);
  }
};
template <>
struct slots_of<boost_asio> : boost_asio_slots {};

}  // namespace detent::base

template <class Token, class... Signatures>
class boost::asio::async_result<detent::detail::timed_token<detent::base::boost_asio, Token>, Signatures...>
    : public detent::detail::timed_result<detent::base::boost_asio, Token, Signatures...> {};

template <class... Signatures>
class boost::asio::async_result<detent::detail::partial_limit<detent::base::boost_asio>, Signatures...>
    : public detent::detail::partial_result<detent::base::boost_asio, Signatures...> {};

template <template <class, class> class Associator, class Handler, class Limit, class Default>
struct boost::asio::associator<Associator, detent::detail::timed_handler<detent::base::boost_asio, Handler, Limit>,
                               Default> : detent::base::inner_associator<Associator, Handler, Default> {};

template <template <class, class> class Associator, class Initiation, class... Signatures, class Default>
struct boost::asio::associator<
    Associator, detent::detail::timed_initiation<detent::base::boost_asio, Initiation, Signatures...>, Default>
    : detent::base::inner_associator<Associator, Initiation, Default> {};

#endif
