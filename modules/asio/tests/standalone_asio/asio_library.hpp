// SPDX-License-Identifier: MIT
// Standalone Asio as the asynchronous library of the tests that are compiled for both.
#pragma once

#include <detent/standalone_asio.hpp>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/bind_executor.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/io_context.hpp>
#include <asio/local/connect_pair.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/post.hpp>
#include <asio/read.hpp>
#include <asio/steady_timer.hpp>
#include <asio/strand.hpp>
#include <asio/system_error.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_future.hpp>
#include <asio/write.hpp>

namespace detent {

namespace net = ::asio;
using error_code = asio::error_code;
using system_error = asio::system_error;
using asio_library = base::standalone_asio;

}  // namespace detent
