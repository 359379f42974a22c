// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "date_rules.hpp"
#include "time_rules.hpp"

namespace detent::detail {

// The rules in an expression.
struct parsed_expression {
  time_rules times;
  date_rules dates;
};

// Both throw schedule_error, even for an expression that is never due.
parsed_expression parse_quartz(std::string_view expression);
parsed_expression parse_unix_cron(std::string_view expression);

}  // namespace detent::detail
