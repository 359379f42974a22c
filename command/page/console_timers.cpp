// SPDX-License-Identifier: MIT
#include "page/console_timers.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "page/console_html.hpp"
#include "page/some_and_more.hpp"
#include "text/printable_text.hpp"
#include "text/units.hpp"
#include "top/row_text.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t timers_at_once = 10;

}  // namespace

std::string bytes_html(const std::string& bytes) { return bytes.empty() ? "-" : foreign(printable(bytes)); }

// Shows the date unless it is today's. A store may contain any number, so the time is limited to 1970 to 2200.
std::string when_html(console_time stored, console_time now) {
  using std::chrono::sys_days, std::chrono::year, std::chrono::January;
  const console_time due =
      std::clamp<console_time>(stored, sys_days(year(1970) / January / 1), sys_days(year(2201) / January / 1));
  const double ns = std::chrono::duration<double, std::nano>(due - now).count();
  const std::string at = fmt::format("{:%FT%T}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(due)));
  const bool today = std::chrono::floor<std::chrono::days>(due) == std::chrono::floor<std::chrono::days>(now);
  const std::string seen = today ? at.substr(11, 8) : at.substr(0, 10) + " " + at.substr(11, 8);
  const std::string away = std::abs(ns) < 1e9 ? "now" : ns < 0 ? age_text(-ns) + " ago" : "in " + age_text(ns);
  return fmt::format("<time datetime=\"{}\">{}</time> <span class=\"unit\">{}</span>", at, seen, away);
}

std::string key_link(const console_timer& timer) {
  return fmt::format("<a href=\"?key={}&amp;partition={}#timer\">{}</a>", url_escaped(timer.key),
                     url_escaped(timer.partition), bytes_html(timer.key));
}

std::string next_table(const std::vector<console_timer>& timers, console_time now) {
  return some_and_more("more-next", timers, timers_at_once, "runs", [now](auto first, auto last, auto head) {
    html_table table("timers", "the next runs",
                     {{"due, UTC", "when"},
                      {"handler", "text"},
                      {"key", "text key"},
                      {"partition", "text key"},
                      {"attempt", "number few"},
                      {"repeats on", "text schedule"},
                      {"shard", "number few"}});
    for (; first != last; ++first) {
      table.row("",
                {when_html(first->due, now), bytes_html(first->handler), key_link(*first), bytes_html(first->partition),
                 count_text(first->attempt), bytes_html(first->schedule), std::to_string(first->shard)});
    }
    return table.str(head);
  });
}

std::string dead_table(const std::vector<console_timer>& timers, console_time now) {
  return some_and_more("more-dead", timers, timers_at_once, "dead ones", [now](auto first, auto last, auto head) {
    html_table table("timers", "dead timers",
                     {{"died, UTC", "when"},
                      {"handler", "text"},
                      {"key", "text key"},
                      {"partition", "text key"},
                      {"attempts", "number few"},
                      {"why", "text why"},
                      {"shard", "number few"}});
    for (; first != last; ++first) {
      table.row("", {when_html(first->died.value_or(first->due), now), bytes_html(first->handler), key_link(*first),
                     bytes_html(first->partition), count_text(first->attempt), bytes_html(first->why),
                     std::to_string(first->shard)});
    }
    return table.str(head);
  });
}

std::string found_table(const std::vector<console_timer>& timers, console_time now) {
  return some_and_more("more-found", timers, timers_at_once, "found", [now](auto first, auto last, auto head) {
    html_table table("timers", "timers that were found",
                     {{"due, UTC", "when"},
                      {"handler", "text"},
                      {"key", "text key"},
                      {"partition", "text key"},
                      {"attempts", "number few"},
                      {"state", "text why"},
                      {"shard", "number few"}});
    for (; first != last; ++first) {
      const std::string state = first->died ? "<strong class=\"warning\">dead</strong>: " + bytes_html(first->why)
                                : first->schedule.empty() ? (first->due < now ? "due, and not ended" : "waits")
                                                          : "repeats on " + bytes_html(first->schedule);
      table.row("", {when_html(first->due, now), bytes_html(first->handler), key_link(*first),
                     bytes_html(first->partition), count_text(first->attempt), state, std::to_string(first->shard)});
    }
    return table.str(head);
  });
}

}  // namespace detent::tool
