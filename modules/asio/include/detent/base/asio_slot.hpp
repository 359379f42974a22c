// SPDX-License-Identifier: MIT
// Cancellation slots, where this Boost.Asio has them (1.77 and newer) and the standard library has stop tokens; the
// only place that asks.
#pragma once

#include <detent/base/stop_token.hpp>

#include <boost/version.hpp>

#include <utility>

#if BOOST_VERSION >= 107700 && defined(__cpp_lib_jthread)
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>

namespace detent::base {

// A token that is stopped when `handler`'s slot emits a cancellation; one that cannot be stopped where it has no slot.
template <class Handler>
base::stop_token cancellation_token(const Handler& handler) {
  auto slot = boost::asio::get_associated_cancellation_slot(handler);
  if (!slot.is_connected()) return {};
  std::stop_source source;
  std::stop_token token = source.get_token();
  slot.assign([source = std::move(source)](boost::asio::cancellation_type type) {
    using kind = boost::asio::cancellation_type;
    if ((type & (kind::terminal | kind::partial | kind::total)) != kind::none) source.request_stop();
  });
  return token;
}

}  // namespace detent::base

#else

namespace detent::base {

template <class Handler>
base::stop_token cancellation_token(const Handler&) {
  return {};
}

}  // namespace detent::base

#endif
