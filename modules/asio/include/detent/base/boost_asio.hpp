// SPDX-License-Identifier: MIT
// The parts of Boost.Asio that detent uses, as one type. Only this file and asio_tokens.hpp know its versions.
#pragma once

#include <detent/base/asio_tokens.hpp>
#include <detent/base/stop_token.hpp>

#if !__has_include(<boost/asio/async_result.hpp>)
#error "<detent/asio.hpp> needs the headers of Boost.Asio; Debian and Ubuntu: apt-get install libboost-dev"
#endif

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/system/error_code.hpp>
#include <boost/version.hpp>

#include <utility>

namespace detent::base {

struct boost_asio {
  using error_code = boost::system::error_code;
  using errors = ::boost::asio::error::basic_errors;
  template <class T>
  using allocator_of = ::boost::asio::associated_allocator_t<T>;
  template <class T, class Default = ::boost::asio::system_executor>
  using executor_of = ::boost::asio::associated_executor_t<T, Default>;
  template <class Executor>
  using work_guard = ::boost::asio::executor_work_guard<Executor>;

  template <class T>
  static auto allocator(const T& of) noexcept {
    return ::boost::asio::get_associated_allocator(of);
  }
  template <class T>
  static auto executor(const T& of) noexcept {
    return ::boost::asio::get_associated_executor(of);
  }
  template <class T, class Default>
  static auto executor(const T& of, const Default& otherwise) noexcept {
    return ::boost::asio::associated_executor<T, Default>::get(of, otherwise);
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

// Cancellation slots are there from Boost 1.77 on. They need the standard library's stop tokens as well.
#if BOOST_VERSION >= 107700 && defined(__cpp_lib_jthread)
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>

namespace detent::base {

// The part of boost_asio that deals with cancellation.
struct boost_asio_slots {
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
struct slots_of<boost_asio> : slots_by<boost_asio_slots> {};

}  // namespace detent::base

template <class Token, class When, class... Signatures>
class boost::asio::async_result<detent::detail::timed_token<detent::base::boost_asio, Token, When>, Signatures...>
    : public detent::detail::timed_result<detent::base::boost_asio, Token, When, Signatures...> {};

template <template <class, class> class Associator, class Handler, class Executor, class Default>
struct boost::asio::associator<Associator, detent::detail::timed_handler<detent::base::boost_asio, Handler, Executor>,
                               Default> : detent::base::inner_associator<Associator, Handler, Default> {};

template <template <class, class> class Associator, class Initiation, class Default>
struct boost::asio::associator<Associator, detent::detail::timed_initiation<detent::base::boost_asio, Initiation>,
                               Default> : detent::base::inner_associator<Associator, Initiation, Default> {};

#endif
