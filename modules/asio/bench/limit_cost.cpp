// SPDX-License-Identifier: MIT
// The cost of a time limit for an operation that ends in time: without one, with detent's cancel_after, with a timer
// beside it by ||, and with Asio's own cancel_after where this Asio has one.
//
// Read: Time is the CPU time of the whole process for one operation, the engine's thread included. What a way adds is
// its time less that of limit/none.
#include <detent/detent.hpp>

#include "limited_waits.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;
namespace net = detent::net;

struct no_limit {
  auto operator()(net::io_context& io) { return net::post(io, net::use_awaitable); }
};

class by_engine {
 public:
  auto operator()(net::io_context& io) { return net::post(io, detent::cancel_after(engine_, 5s, net::use_awaitable)); }

 private:
  detent::engine engine_{{.wait = detent::wait_options::sleep()}};
};

struct by_timer_beside {
  net::awaitable<void> operator()(net::io_context& io) {
    using namespace net::experimental::awaitable_operators;
    net::steady_timer limit(io, 5s);
    co_await (net::post(io, net::use_awaitable) || limit.async_wait(net::use_awaitable));
  }
};

[[maybe_unused]] const bool added = add_limit<no_limit>("limit/none") &&
                                    add_limit<by_engine>("limit/detent_cancel_after") &&
                                    add_limit<by_timer_beside>("limit/timer_beside");

}  // namespace
