// SPDX-License-Identifier: MIT
// The parts of standalone Asio that belong to an io_context, as one type: for those that drive an engine from it.
#pragma once

#include <detent/base/standalone_asio.hpp>
#include <detent/base/standalone_asio_contexts.hpp>

#include <asio/defer.hpp>
#include <asio/execution_context.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>

#ifdef ASIO_NO_TS_EXECUTORS
#error "asio_drive waits without keeping run() from returning; Asio can do so unless ASIO_NO_TS_EXECUTORS is defined"
#endif

namespace detent::base {

struct standalone_asio_loop {
  using asio = standalone_asio;
  using error_code = asio::error_code;
  using context = ::asio::io_context;
  using descriptor = ::asio::posix::stream_descriptor;
  using any_context = ::asio::execution_context;
  using service = any_context::service;
  using service_id = any_context::id;
  using work = ::asio::executor_work_guard<context::executor_type>;

  template <class Service>
  static Service& use(context& of) {
    return ::asio::use_service<Service>(of);
  }
  template <class F>
  static void post(context& to, F&& what) {
    ::asio::post(to, std::forward<F>(what));
  }
  // Runs it after the functions that the calling handler deferred earlier.
  template <class F>
  static void defer(context& to, F&& what) {
    ::asio::defer(to, std::forward<F>(what));
  }
  // Notes that a wait begins, or has ended, that is not work of the context, so run() does not go on only for it.
  // Called in a handler of the context, which itself counts as work.
  static void uncount(context& of) noexcept { of.get_executor().on_work_finished(); }
  static void count(context& of) noexcept { of.get_executor().on_work_started(); }
};

}  // namespace detent::base
