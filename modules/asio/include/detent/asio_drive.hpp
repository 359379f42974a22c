// SPDX-License-Identifier: MIT
// An engine on the thread of an io_context of Boost.Asio, without a worker. docs/asio-drive.md has more.
#pragma once

#include <detent/base/boost_asio_loop.hpp>
#include <detent/detail/asio_drive.hpp>
#include <detent/detail/asio_virtual.hpp>
#include <detent/engine.hpp>
#include <detent/manual_clock.hpp>
#include <detent/time.hpp>

#include <array>
#include <concepts>

// A file that includes <detent/asio_drive.hpp> and <detent/standalone_asio_drive.hpp> names this namespace.
namespace detent::inline boost_asio {

// While it exists, the threads that run the context fire the engine's timers, one turn at a time, woken by the engine's
// descriptor. Callbacks run inside run(), between other handlers, and handlers of sleeps are handlers of their own.
//   asio::io_context io;
//   detent::engine engine({.drive = detent::drive_kind::caller});
//   detent::asio_drive drive(io, engine);
// Any thread may schedule, cancel and restart. Exceptions of callbacks go to the engine's on_error; exceptions of
// handlers leave run(). Engine, drive and context may end in any order. The engine may be moved, and a stopped engine
// ends its drive. An engine has one drive at a time.
using asio_drive = detail::basic_asio_drive<base::boost_asio_loop>;

// For tests: runs a context and engines in virtual time, which goes on to the next deadline whenever no handler is
// ready. Nothing waits; each handler and callback sees clock.now() at the deadline that caused it. At the end now() is
// `end`. If `end` is time_point::max(), now() is the last deadline, so a test runs everything except members of paused
// groups. A handler that calls stop() ends it at once. The engines must have `clock` as engine_options::manual, else it
// throws errc::invalid_option. Throws what handlers throw, and what manual_clock::run_until() throws. The context's own
// timers, other threads and networks know nothing of virtual time.
template <std::same_as<engine>... Engines>
void asio_run_until(boost::asio::io_context& on, manual_clock& clock, detail::clock_time end, Engines&... engines) {
  const std::array<engine*, sizeof...(Engines)> all{&engines...};
  detail::run_virtually<base::boost_asio_loop>(on, clock, end, all);
}
template <std::same_as<engine>... Engines>
void asio_run_for(boost::asio::io_context& on, manual_clock& clock, detail::whole_duration length,
                  Engines&... engines) {
  const auto end = detail::add_saturated(detail::to_ns(clock.now()), length.count());
  asio_run_until(on, clock, detail::to_time(end), engines...);
}

}  // namespace detent::inline boost_asio
