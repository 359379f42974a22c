// SPDX-License-Identifier: MIT
#include "stat/pending_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "text/column_table.hpp"
#include "text/json_object.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr auto left = column_table::side::left, right = column_table::side::right;
constexpr const char* what_is_missing =
    "(A counters file holds only counts. To see the timers themselves, with deadline, tag and group, call\n"
    "engine::list_pending() inside the process.)\n";

// Returns the number of pending timers that have no label. The counters are not of one instant, so the difference stops
// at zero.
std::uint64_t unlabelled(const counters_snapshot& engine) {
  std::uint64_t labelled = 0;
  for (const label_snapshot& each : engine.labels) labelled += each.pending();
  return engine.pending() - std::min(engine.pending(), labelled);
}

// Returns how far away the next deadline is that the driver knew when it began to wait. Returns nullopt if there was
// none or the engine's clock is not this host's.
std::optional<std::int64_t> next_due(const counters_snapshot& engine) {
  const std::int64_t next = engine.gauges[gauge::next_deadline];
  if (!engine.is_live() || engine.pending() == 0 || next == std::numeric_limits<std::int64_t>::max() ||
      engine.identity.clock == std::string_view("manual"))
    return std::nullopt;
  return std::max<std::int64_t>(next, engine.read_at) - engine.read_at;
}

std::string due_text(const counters_snapshot& engine) {
  const auto due = next_due(engine);
  if (!due) return "-";
  return *due == 0 ? "now" : time_text(static_cast<double>(*due));
}

std::string share_of(std::uint64_t pending, const counters_snapshot& engine) {
  const auto whole = static_cast<double>(engine.pending());
  return whole == 0 ? "-" : percent_text(std::min(static_cast<double>(pending) / whole, 1.0));
}

std::string by_engine(const std::vector<counters_snapshot>& engines) {
  column_table table({left, right, left, right, right, right});
  table.add({"engine", "process", "state", "pending", "backlog", "next due in"});
  for (const counters_snapshot& each : engines) {
    table.add({each.identity.name, std::to_string(each.identity.process), each.state(), count_text(each.pending()),
               count_text(static_cast<std::uint64_t>(each.gauges[gauge::backlog])), due_text(each)});
  }
  return table.text();
}

std::string by_label(const std::vector<counters_snapshot>& engines) {
  column_table table({left, right, left, right, right});
  table.add({"engine", "process", "label", "pending", "share"});
  for (const counters_snapshot& each : engines) {
    std::vector<const label_snapshot*> most_first;
    for (const label_snapshot& label : each.labels) most_first.push_back(&label);
    std::stable_sort(most_first.begin(), most_first.end(),
                     [](const label_snapshot* a, const label_snapshot* b) { return a->pending() > b->pending(); });
    const auto add = [&](const std::string& label, std::uint64_t pending) {
      table.add({each.identity.name, std::to_string(each.identity.process), label, count_text(pending),
                 share_of(pending, each)});
    };
    for (const label_snapshot* const label : most_first) add(label->name, label->pending());
    add("(no label)", unlabelled(each));
  }
  return table.text();
}

}  // namespace

std::string pending_text(const std::vector<counters_snapshot>& engines, pending_by by) {
  if (engines.empty())
    return "No engine on this host shows its counters in /dev/shm (engine_options::counters_file).\n";
  std::string out = by == pending_by::label ? by_label(engines) : by_engine(engines);
  for (const counters_snapshot& each : engines) {
    if (const auto hidden = each.gauges[gauge::hidden_threads]; hidden != 0) {
      out += fmt::format("{}: not counted is what {} threads did, for which the file has no room.\n",
                         each.identity.name, hidden);
    }
  }
  return out + what_is_missing;
}

std::string pending_json(const std::vector<counters_snapshot>& engines, pending_by by) {
  std::vector<json_object> list;
  for (const counters_snapshot& each : engines) {
    json_object json;
    json.text("file", each.identity.path)
        .text("name", each.identity.name)
        .text("state", each.state())
        .count("process", each.identity.process)
        .count("pending", each.pending())
        .count("backlog", each.gauges[gauge::backlog])
        .count("hidden_threads", each.gauges[gauge::hidden_threads]);
    const auto due = next_due(each);
    due ? json.count("next_due_in_ns", *due) : json.number("next_due_in_ns", std::numeric_limits<double>::quiet_NaN());
    if (by == pending_by::label) {
      std::vector<json_object> labels;
      for (const label_snapshot& label : each.labels)
        labels.push_back(json_object().text("name", label.name).count("pending", label.pending()));
      json.list("labels", labels).count("no_label", unlabelled(each));
    }
    list.push_back(json);
  }
  return json_object().list("engines", list).str() + "\n";
}

}  // namespace detent::tool
