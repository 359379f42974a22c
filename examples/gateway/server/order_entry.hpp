// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "order_book.hpp"
#include "wire/message.hpp"

namespace gateway {

// Checks a trader's message about an order, and has the book do it. Returns what is wrong with the message, empty if
// nothing is; that an order is too late is no fault of its message, and is answered by a report.
std::string_view enter_order(order_book& book, trader& from, const wire::message& request, detent::time_point now);

}  // namespace gateway
