// SPDX-License-Identifier: MIT
#include "page/console_durable.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "page/console_figures.hpp"
#include "page/console_html.hpp"
#include "text/html_text.hpp"
#include "text/printable_text.hpp"
#include "text/units.hpp"
#include "top/row_text.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t shards_at_once = 16, timers_at_once = 10;

std::string bytes_html(const std::string& bytes) { return bytes.empty() ? "-" : foreign(printable(bytes)); }

// A list of so many of its first, and the others folded below it. table(first, last) is a table of some.
template <class Items, class Table>
std::string some_and_more(std::string_view id, const Items& items, std::size_t at_once, const char* what, Table table) {
  const auto cut = items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), at_once));
  std::string first = table(items.begin(), cut, html_table::head_line::shown);
  if (cut == items.end()) return first;
  return first + folded(id, fmt::format("{} {} more", items.end() - cut, what),
                        table(cut, items.end(), html_table::head_line::for_readers));
}

std::string lag_html(const std::optional<double>& lag) {
  if (!lag) return "-";
  if (*lag <= 0) return fmt::format("<span class=\"soft\">{} ahead</span>", time_html(-*lag));
  return *lag > 1e9 ? fmt::format("<strong class=\"warning\">{}</strong>", time_html(*lag)) : time_html(*lag);
}

std::string owner_html(const console_shard& shard) {
  if (!shard.node_known) return "?";
  return shard.node.empty() ? "<strong class=\"bad\">nobody</strong>" : bytes_html(shard.node);
}

std::string shard_table(const console_store& store) {
  return some_and_more(
      "more-shards", worst_first(store.shards), shards_at_once, "shards", [](auto first, auto last, auto head) {
        html_table table("shards", "shards, worst first",
                         {{"shard", "few-left"},
                          {"owner", "name"},
                          {"lag", "number lag", "from the level up to which its owner has read, to now"},
                          {"backlog", "number", "due, and not ended yet"},
                          {"timers", "number"},
                          {"dead", "number few"}});
        for (; first != last; ++first) {
          const console_shard& its = **first;
          table.row(fmt::format("shard-{}", its.shard),
                    {std::to_string(its.shard), owner_html(its), lag_html(its.lag),
                     count_text(its.backlog) + (its.backlog_more ? "+" : ""), count_text(its.timers),
                     count_html(its.dead, severity::warning)});
        }
        return table.str(head);
      });
}

// Shows the date only where it is not today's. A store may hold any number: the time is clamped to 1970 to 2200.
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

std::string next_table(const console_store& store, console_time now) {
  return some_and_more("more-next", store.next, timers_at_once, "runs", [now](auto first, auto last, auto head) {
    html_table table("timers", "the next runs",
                     {{"due, UTC", "when"},
                      {"handler", "text"},
                      {"key", "text key"},
                      {"partition", "text key"},
                      {"attempt", "number few"},
                      {"repeats on", "text schedule"},
                      {"shard", "number few"}});
    for (; first != last; ++first) {
      table.row("", {when_html(first->due, now), bytes_html(first->handler), bytes_html(first->key),
                     bytes_html(first->partition), count_text(first->attempt), bytes_html(first->schedule),
                     std::to_string(first->shard)});
    }
    return table.str(head);
  });
}

std::string dead_table(const console_store& store, console_time now) {
  return some_and_more("more-dead", store.dead, timers_at_once, "dead ones", [now](auto first, auto last, auto head) {
    html_table table("timers", "dead timers",
                     {{"was due, UTC", "when"},
                      {"handler", "text"},
                      {"key", "text key"},
                      {"partition", "text key"},
                      {"attempts", "number few"},
                      {"why", "text why"},
                      {"shard", "number few"}});
    for (; first != last; ++first) {
      table.row("", {when_html(first->due, now), bytes_html(first->handler), bytes_html(first->key),
                     bytes_html(first->partition), count_text(first->attempt), bytes_html(first->why),
                     std::to_string(first->shard)});
    }
    return table.str(head);
  });
}

std::string summary_of(const console_store& store) {
  std::map<std::string, std::uint64_t> nodes;
  std::uint64_t timers = 0, backlog = 0;
  bool more = false;
  for (const console_shard& each : store.shards) {
    if (!each.node.empty() && each.node_known) ++nodes[each.node];
    timers += each.timers;
    backlog += each.backlog;
    more = more || each.backlog_more;
  }
  std::string out =
      fmt::format("{} timers in {} shard{}, {}{} due and not ended; ", count_text(timers), store.shards.size(),
                  store.shards.size() == 1 ? "" : "s", count_text(backlog), more ? "+" : "");
  if (std::ranges::none_of(store.shards, &console_shard::node_known))
    return out + "which node owns them is known to that node alone";
  if (nodes.empty()) return out + "no node owns any";
  std::string list;
  for (const auto& [node, shards] : nodes)
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", bytes_html(node), shards);
  return out + "shards by node: " + list;
}

std::string subheading(const char* id, const char* text) { return fmt::format("<h3 id=\"{}\">{}</h3>\n", id, text); }

std::string section(const char* id, const std::string& html) {
  return fmt::format("<section aria-labelledby=\"{}\">\n{}</section>\n", id, html);
}

}  // namespace

std::string durable_section(const console_store& store, console_time now) {
  std::string top = heading("durable", "Durable timers") + paragraph("soft", foreign(printable(store.name)));
  if (store.silent > 0) {
    top += paragraph(
        "alert", fmt::format("<strong>The store does not answer</strong>, for {} now.", age_text(store.silent * 1e9)));
  } else if (!store.trouble.empty()) {
    top += paragraph("alert", "<strong>The store cannot be read:</strong> " + foreign(printable(store.trouble)));
  }
  const bool fresh = store.trouble.empty() && store.silent <= 0;
  if (!store.read_at) return section("durable", top + (fresh ? paragraph("soft", "Being read.") : ""));
  if (!fresh) top += paragraph("soft", "What follows was read at " + when_html(*store.read_at, now) + ".");
  top += paragraph("", summary_of(store));
  const std::string next = store.next.empty() ? paragraph("soft", "Nothing is scheduled.") : next_table(store, now);
  const std::string dead = store.dead.empty() ? paragraph("soft", "None.") : dead_table(store, now);
  return section("durable", top + subheading("shards", "Shards") + shard_table(store) +
                                subheading("next", "Next runs") + next + subheading("dead", "Dead timers") + dead);
}

}  // namespace detent::tool
