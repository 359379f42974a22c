// SPDX-License-Identifier: MIT
// The parts of standalone Asio that detent uses, as one type. Only this file and asio_tokens.hpp know its versions.
#pragma once

#include <detent/base/asio_tokens.hpp>
#include <detent/base/stop_token.hpp>

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
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/system_executor.hpp>
#include <asio/version.hpp>

#include <utility>

namespace detent::base {

struct standalone_asio {
  using error_code = ::asio::error_code;
  using errors = ::asio::error::basic_errors;
  template <class T>
  using allocator_of = ::asio::associated_allocator_t<T>;
  template <class T, class Default = ::asio::system_executor>
  using executor_of = ::asio::associated_executor_t<T, Default>;
  template <class Executor>
  using work_guard = ::asio::executor_work_guard<Executor>;

  template <class T>
  static auto allocator(const T& of) noexcept {
    return ::asio::get_associated_allocator(of);
  }
  template <class T>
  static auto executor(const T& of) noexcept {
    return ::asio::get_associated_executor(of);
  }
  template <class T, class Default>
  static auto executor(const T& of, const Default& otherwise) noexcept {
    return ::asio::associated_executor<T, Default>::get(of, otherwise);
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

// Cancellation slots are there from Asio 1.20 on. They need the standard library's stop tokens as well.
#if ASIO_VERSION >= 102000 && defined(__cpp_lib_jthread)
#include <asio/associated_cancellation_slot.hpp>
#include <asio/associator.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/cancellation_type.hpp>

namespace detent::base {

// The part of standalone_asio that deals with cancellation.
struct standalone_asio_slots {
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
struct slots_of<standalone_asio> : slots_by<standalone_asio_slots> {};

}  // namespace detent::base

template <class Token, class When, class... Signatures>
class asio::async_result<detent::detail::timed_token<detent::base::standalone_asio, Token, When>, Signatures...>
    : public detent::detail::timed_result<detent::base::standalone_asio, Token, When, Signatures...> {};

template <template <class, class> class Associator, class Handler, class Executor, class Default>
struct asio::associator<Associator, detent::detail::timed_handler<detent::base::standalone_asio, Handler, Executor>,
                        Default> : detent::base::inner_associator<Associator, Handler, Default> {};

template <template <class, class> class Associator, class Initiation, class Default>
struct asio::associator<Associator, detent::detail::timed_initiation<detent::base::standalone_asio, Initiation>,
                        Default> : detent::base::inner_associator<Associator, Initiation, Default> {};

#endif
