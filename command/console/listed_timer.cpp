// SPDX-License-Identifier: MIT
#include "console/listed_timer.hpp"

#include <utility>

namespace detent::tool {

console_timer timer_of(durable::listed_record&& its) {
  durable::record& what = its.what;
  const durable::key_parts of = durable::parts_of(what.key);
  return {.key = std::string(of.key),
          .partition = std::string(of.partition),
          .handler = std::move(what.handler),
          .due = what.due,
          .attempt = attempt_of(what, its.died.has_value()),
          .shard = what.shard,
          .schedule = std::move(what.schedule),
          .why = std::move(its.why),
          .died = its.died};
}

}  // namespace detent::tool
