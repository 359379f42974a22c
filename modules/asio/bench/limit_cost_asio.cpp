// SPDX-License-Identifier: MIT
// Asio's own cancel_after, for limit_cost.cpp.
#include <chrono>

#include "limited_waits.hpp"
#include "own_limit_library.hpp"

namespace {

using namespace detent::bench;
namespace net = detent::net;

struct by_asio {
  auto operator()(net::io_context& io) {
    return net::post(io, net::cancel_after(std::chrono::seconds(5), net::use_awaitable));
  }
};

[[maybe_unused]] const bool added = add_limit<by_asio>("limit/asio_cancel_after");

}  // namespace
