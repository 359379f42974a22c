// SPDX-License-Identifier: MIT
// The execution contexts of Boost.Asio.
#pragma once

#include <detent/base/asio_contexts.hpp>
#include <detent/base/boost_asio.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/defer.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#if __has_include(<boost/asio/recycling_allocator.hpp>)
#include <boost/asio/recycling_allocator.hpp>
#else
#include <boost/asio/detail/recycling_allocator.hpp>
#endif
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#if __has_include(<boost/asio/deferred.hpp>)
#include <boost/asio/deferred.hpp>
#endif

#include <type_traits>
#include <utility>

namespace detent::base {

template <>
struct contexts_of<boost_asio> {
  using context = ::boost::asio::execution_context;
  using io_context = ::boost::asio::io_context;
  using thread_pool = ::boost::asio::thread_pool;

  using io_executor = io_context::executor_type;
  using pool_executor = thread_pool::executor_type;
  using tracked_io_executor = std::decay_t<decltype(::boost::asio::prefer(
      std::declval<const io_executor&>(), ::boost::asio::execution::outstanding_work.tracked))>;
  using io_strand = ::boost::asio::strand<io_executor>;
  using pool_strand = ::boost::asio::strand<pool_executor>;
  using any_strand = ::boost::asio::strand<::boost::asio::any_io_executor>;

  // Whether the executor only queues, for any thread of its context.
  template <class Executor>
  static constexpr bool is_plain =
      std::is_same_v<Executor, io_executor> || std::is_same_v<Executor, tracked_io_executor> ||
      std::is_same_v<Executor, pool_executor>;
  template <class Executor>
  static constexpr bool names_context =
      ::boost::asio::can_query_v<const Executor&, ::boost::asio::execution::context_t>;
  template <class Executor>
  static decltype(auto) context_of(const Executor& ex) {
    return ::boost::asio::query(ex, ::boost::asio::execution::context);
  }
  template <class Service>
  static Service& use_service(context& of) {
    return ::boost::asio::use_service<Service>(of);
  }
  // Memory that a thread keeps for the function that it hands on next.
#if __has_include(<boost/asio/recycling_allocator.hpp>)
  using recycled = ::boost::asio::recycling_allocator<void>;
#else
  using recycled = ::boost::asio::detail::recycling_allocator<void>;
#endif
#if __has_include(<boost/asio/deferred.hpp>)
  using default_token = ::boost::asio::deferred_t;
#endif
  // Void if the executor names none.
  template <class Executor>
  using default_token_of = typename ::boost::asio::default_completion_token<Executor>::type;
  // Queues `what` as one more step of the function that runs now.
  template <class Executor, class F>
  static void defer(const Executor& on, F&& what) {
    ::boost::asio::defer(on, std::forward<F>(what));
  }
};

}  // namespace detent::base
