// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "cron/cron_command.hpp"

namespace detent::tool {

// Each row of a file of cases beside what the schedule says. A row that cannot be read is a complaint and no
// difference; either fails. Throws input_error where there is no file or no row.
cron_result check_cases(const std::string& path);
cron_result check_cases(const std::string& name, std::string_view text);

}  // namespace detent::tool
