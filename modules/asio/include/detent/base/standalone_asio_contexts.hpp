// SPDX-License-Identifier: MIT
// The execution contexts of standalone Asio.
#pragma once

#include <detent/base/asio_contexts.hpp>
#include <detent/base/standalone_asio.hpp>

#include <asio/any_io_executor.hpp>
#include <asio/defer.hpp>
#include <asio/execution/context.hpp>
#include <asio/execution/outstanding_work.hpp>
#include <asio/execution_context.hpp>
#include <asio/io_context.hpp>
#include <asio/prefer.hpp>
#include <asio/query.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>

#include <type_traits>
#include <utility>

namespace detent::base {

template <>
struct contexts_of<standalone_asio> {
  using context = ::asio::execution_context;
  using io_context = ::asio::io_context;
  using thread_pool = ::asio::thread_pool;

  using io_executor = io_context::executor_type;
  using pool_executor = thread_pool::executor_type;
  using tracked_io_executor = std::decay_t<decltype(::asio::prefer(std::declval<const io_executor&>(),
                                                                   ::asio::execution::outstanding_work.tracked))>;
  using io_strand = ::asio::strand<io_executor>;
  using pool_strand = ::asio::strand<pool_executor>;
  using any_strand = ::asio::strand<::asio::any_io_executor>;

  // True if the executor only queues, for any thread of its context.
  template <class Executor>
  static constexpr bool is_plain =
      std::is_same_v<Executor, io_executor> || std::is_same_v<Executor, tracked_io_executor> ||
      std::is_same_v<Executor, pool_executor>;
  template <class Executor>
  static constexpr bool names_context = ::asio::can_query_v<const Executor&, ::asio::execution::context_t>;
  template <class Executor>
  static decltype(auto) context_of(const Executor& ex) {
    return ::asio::query(ex, ::asio::execution::context);
  }
  template <class Service>
  static Service& use_service(context& of) {
    return ::asio::use_service<Service>(of);
  }
  // Queues `what` as one more step of the function that runs now.
  template <class Executor, class F>
  static void defer(const Executor& on, F&& what) {
    ::asio::defer(on, std::forward<F>(what));
  }
};

}  // namespace detent::base
