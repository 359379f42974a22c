// SPDX-License-Identifier: MIT
// In place of the command, where there are no stores to ask.
#include "durable/durable_command.hpp"
#include "text/input_error.hpp"

namespace detent::tool {

durable_result take_durable(const durable_options&) {
  throw input_error(
      "durable: this build has no durable timers; they need the calendar and sqlite3 (Debian: libsqlite3-dev)");
}

}  // namespace detent::tool
