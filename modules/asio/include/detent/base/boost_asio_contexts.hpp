// SPDX-License-Identifier: MIT
// The execution contexts of Boost.Asio.
#pragma once

#include <detent/base/asio_contexts.hpp>
#include <detent/base/boost_asio.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/defer.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

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

  // True if the executor only queues, for any thread of its context.
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
  // Queues `what` as one more step of the function that runs now.
  template <class Executor, class F>
  static void defer(const Executor& on, F&& what) {
    ::boost::asio::defer(on, std::forward<F>(what));
  }
};

}  // namespace detent::base
