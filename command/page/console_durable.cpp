// SPDX-License-Identifier: MIT
#include "page/console_durable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "page/console_figures.hpp"
#include "page/console_html.hpp"
#include "page/console_lookup.hpp"
#include "page/console_timers.hpp"
#include "page/some_and_more.hpp"
#include "text/printable_text.hpp"
#include "text/units.hpp"
#include "top/row_text.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t shards_at_once = 16, nodes_at_once = 16;

std::string lag_html(const std::optional<double>& lag) {
  if (!lag) return "-";
  if (*lag <= 0) return fmt::format("<span class=\"soft\">{} ahead</span>", time_html(-*lag));
  return *lag > 1e9 ? fmt::format("<strong class=\"warning\">{}</strong>", time_html(*lag)) : time_html(*lag);
}

std::string owner_html(const console_shard& shard) {
  if (!shard.node_known) return "?";
  return shard.node.empty() ? "<strong class=\"bad\">none</strong>" : bytes_html(shard.node);
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
                    {std::to_string(its.shard), owner_html(its), lag_html(its.lag), count_text(its.backlog),
                     count_text(its.timers), count_html(its.dead, severity::warning)});
        }
        return table.str(head);
      });
}

std::string summary_of(const console_store& store) {
  std::map<std::string, std::uint64_t> nodes;
  std::uint64_t timers = 0, backlog = 0;
  for (const console_shard& each : store.shards) {
    if (!each.node.empty() && each.node_known) ++nodes[each.node];
    timers += each.timers;
    backlog += each.backlog;
  }
  std::string out = fmt::format("{} timers in {} shard{}, {} due and not ended; ", count_text(timers),
                                store.shards.size(), store.shards.size() == 1 ? "" : "s", count_text(backlog));
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

std::string state_html(console_node::state its) {
  switch (its) {
    case console_node::state::there: return "there";
    case console_node::state::left: return "has ended";
    case console_node::state::lost: break;
  }
  return "<strong class=\"bad\">lost</strong>";
}

std::string node_table(const console_store& store, console_time now) {
  std::map<std::string, std::uint64_t> shards;
  for (const console_shard& each : store.shards) ++shards[each.node];
  return some_and_more("more-nodes", store.nodes, nodes_at_once, "nodes", [&](auto first, auto last, auto head) {
    html_table table("nodes", "nodes",
                     {{"node", "name"}, {"state", "text"}, {"last sign of life", "when"}, {"shards", "number"}});
    for (; first != last; ++first)
      table.row("", {bytes_html(first->name), state_html(first->is), when_html(first->seen, now),
                     count_text(shards[first->name])});
    return table.str(head);
  });
}

std::string nodes_html(const console_store& store, console_time now) {
  if (!store.nodes_known) return "";
  std::string out = subheading("nodes", "Nodes");
  out += store.nodes.empty() ? paragraph("soft", "None is there.") : node_table(store, now);
  if (store.unrun.empty()) return out;
  std::string list;
  for (const std::string& each : store.unrun) list += (list.empty() ? "" : ", ") + bytes_html(each);
  return out +
         paragraph("", "<strong class=\"bad\">No node runs these handlers</strong>, of timers that come next: " + list);
}

}  // namespace

std::string durable_section(const console_store& store, console_time now, const durable_extras& extras) {
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
  top += paragraph("", summary_of(store)) + search_html(extras.lookup, extras.query, now);
  top += opening_html(extras.lookup, now);
  const std::string next =
      store.next.empty() ? paragraph("soft", "Nothing is scheduled.") : next_table(store.next, now);
  const std::string dead = store.dead.empty() ? paragraph("soft", "None.") : dead_table(store.dead, now);
  return section("durable", top + nodes_html(store, now) + subheading("shards", "Shards") + shard_table(store) +
                                subheading("next", "Next runs") + next + subheading("dead", "Dead timers") + dead);
}

}  // namespace detent::tool
