// SPDX-License-Identifier: MIT
// Boost.Asio as the asynchronous library of the tests that are compiled for both.
#pragma once

#include <detent/asio.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

namespace detent {

namespace net = ::boost::asio;
using error_code = boost::system::error_code;
using system_error = boost::system::system_error;
using asio_library = base::boost_asio;

}  // namespace detent
