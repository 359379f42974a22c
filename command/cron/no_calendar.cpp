// SPDX-License-Identifier: MIT
// In place of the command, where there is no calendar to ask.
#include "cron/cron_command.hpp"
#include "text/input_error.hpp"

namespace detent::tool {

cron_result take_cron(const cron_options&) {
  throw input_error("cron: this build has no calendar; configure with -DDETENT_BUILD_CALENDAR=ON");
}

}  // namespace detent::tool
