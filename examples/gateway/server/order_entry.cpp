// SPDX-License-Identifier: MIT
#include "order_entry.hpp"

#include <cstdint>
#include <optional>

namespace gateway {

using wire::message_type;
using wire::tag;

namespace {

constexpr char market = '1', limit = '2';

std::optional<std::uint64_t> identity(const wire::message& request, tag of) {
  const auto id = request.number(of);
  if (!id || *id <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(*id);
}

std::string_view new_order(order_book& book, trader& from, const wire::message& request, detent::time_point now) {
  const auto id = identity(request, tag::order_id);
  const char wanted = request.letter(tag::side), type = request.letter(tag::order_type);
  if (!id) return "11 must be a number above 0";
  if (wanted != '1' && wanted != '2') return "54 must be 1 or 2";
  if (type != market && type != limit) return "40 must be 1 or 2";
  const auto which = static_cast<side>(wanted);
  if (from.orders.contains(*id)) {
    book.reject(from, *id, "an order of that id rests already");
  } else if (type == market) {
    book.take(from, *id, which);
  } else if (const auto expires = request.number(tag::expire_time); !expires) {
    return "126 must be a time in nanoseconds";
  } else if (wire::from_wire(*expires) <= now) {
    book.reject(from, *id, "its time is up");
  } else {
    book.rest(from, *id, which, wire::from_wire(*expires));
  }
  return {};
}

}  // namespace

std::string_view enter_order(order_book& book, trader& from, const wire::message& request, detent::time_point now) {
  if (request.type() == message_type::new_order) return new_order(book, from, request, now);

  const auto id = identity(request, tag::original_id);
  if (!id) return "41 must be a number above 0";
  bool done = false;
  if (request.type() == message_type::cancel_order) {
    done = book.cancel(from, *id);
  } else {
    const auto expires = request.number(tag::expire_time);
    if (!expires) return "126 must be a time in nanoseconds";
    done = book.replace(from, *id, wire::from_wire(*expires));
  }
  if (!done) from.line.write(message_type::cancel_reject).with(tag::original_id, *id).with(tag::text, "too late");
  return {};
}

}  // namespace gateway
