// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <fmt/format.h>

namespace load {

std::string report(crowd& seen, std::uint64_t freezes, samples& floor) {
  const crowd_counts& counts = seen.counts();
  const order_totals& orders = seen.orders().totals();
  measurements& late = seen.measured();
  std::string text;
  auto line = [&text](fmt::string_view format, const auto&... values) {
    fmt::vformat_to(std::back_inserter(text), format, fmt::make_format_args(values...));
  };

  text += samples::heading();
  text += floor.row("bare clock_nanosleep");
  text += late.heartbeat_fired.row("heartbeat: fired");
  text += late.heartbeat_arrived.row("heartbeat: at the client");
  text += late.expiry_fired.row("expiry: fired");
  text += late.expiry_arrived.row("expiry: at the client");
  if (late.cancelled.count() != 0) text += late.cancelled.row("cancel after a disconnect");
  if (late.frozen.count() != 0) text += late.frozen.row("due around a freeze");

  line("client: {} heartbeats, {} slots skipped; {} logons, {} test requests answered\n", counts.heartbeats,
       counts.missed_slots, counts.logons, counts.tests_answered);
  line("client: {} fell silent, {} of them found dead; {} connections broken; {} orders cancelled by that\n",
       counts.fell_silent, counts.found_dead, counts.dropped, orders.cancelled_on_disconnect);
  line("client: {} floods; {} lines of nonsense, {} rejects; {} freezes\n", counts.floods, counts.nonsense,
       counts.rejects, freezes);
  if (counts.slow_here != 0)
    line("client: {} sessions were logged out as this program was too slow for them\n", counts.slow_here);
  line("client: {} orders replaced, {} rejected\n", orders.replaced, orders.rejected);
  line("client: orders accepted={} traded={} cancelled={} expired={}\n", orders.accepted, orders.traded,
       orders.cancelled, orders.expired);
  line("client: {}\n",
       seen.found().count() == 0 ? "every promise was held" : fmt::format("{} promises BROKEN", seen.found().count()));
  return text;
}

}  // namespace load
