// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "cron/cron_command.hpp"

namespace detent::tool {

// Compares each row of a file of cases with its schedule. A row that cannot be read is a complaint and not a
// difference; either is a failure. Throws input_error if there is no file or no row.
cron_result check_cases(const std::string& path);
cron_result check_cases(const std::string& name, std::string_view text);

}  // namespace detent::tool
