// SPDX-License-Identifier: MIT
#include "stat/stat_json.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "text/json_object.hpp"

namespace detent::tool {
namespace {

json_object json_of(const counters_histogram& histogram) {
  constexpr std::array<std::pair<const char*, double>, 4> percentiles = {
      {{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p99.9", 99.9}}};
  json_object json;
  json.count("count", histogram.count());
  for (const auto& [name, p] : percentiles) json.count(name, histogram.percentile(p).count());
  json.count("max", (histogram.max)().count()).count("mean", histogram.mean().count());
  return json;
}

json_object json_of(const histograms_by_cause& histograms) {
  json_object json;
  for_each_key<cause>([&](cause key) { json.object(name_of(key), json_of(histograms[key])); });
  return json;
}

json_object counts_of(const counters_snapshot& engine) {
  json_object json;
  for_each_key<counter>([&](counter key) {
    json.count(name_of(key), key == counter::cancelled ? engine.cancelled() : engine.totals[key]);
  });
  json.count("wakeups", engine.gauges[gauge::wakeups])
      .count("record_dropped", engine.gauges[gauge::record_dropped])
      .count("clock_distrusted", engine.gauges[gauge::clock_distrusted]);
  return json;
}

json_object json_of(const label_snapshot& label) {
  json_object counts, json;
  for_each_key<label_counter>([&](label_counter key) { counts.count(name_of(key), label.counts[key]); });
  json.text("name", label.name).count("pending", label.pending()).object("counts", counts);
  json.object("histograms_ns", json_of(label.histograms));
  return json;
}

json_object json_of(const counters_snapshot& engine) {
  const engine_identity& who = engine.identity;
  const std::int64_t next = engine.gauges[gauge::next_deadline];
  json_object json;
  json.text("file", who.path)
      .text("name", who.name)
      .text("instance", who.instance)
      .text("state", engine.state())
      .count("process", who.process)
      .count("worker_thread", who.worker_thread)
      .count("made_at_ns", who.made_at)
      .count("read_at_ns", engine.read_at)
      .text("wheel", who.wheel)
      .text("wait", who.wait)
      .text("drive", who.drive)
      .text("clock", who.clock)
      .text("clock_reason", who.clock_reason)
      .count("tick_ns", who.tick)
      .count("max_spin_ns", who.max_spin)
      .count("capacity", who.capacity)
      .count("set", who.set)
      .count("shard", who.shard)
      .count("shards", who.shards)
      .count("threads", engine.threads)
      .count("pending", engine.pending())
      .count("backlog", engine.gauges[gauge::backlog])
      .count("queued", engine.queued())
      .count("retries", engine.gauges[gauge::retries])
      .count("hidden_threads", engine.gauges[gauge::hidden_threads])
      .count("margin_ns", engine.gauges[gauge::margin])
      .count("last_pass_ns", engine.gauges[gauge::last_pass]);
  constexpr std::int64_t nothing_pending = std::numeric_limits<std::int64_t>::max();
  next == nothing_pending ? json.number("next_deadline_ns", std::nan("")) : json.count("next_deadline_ns", next);
  if (!engine.gone.empty()) json.text("gone", engine.gone);
  if (!engine.last_error.empty())
    json.object("last_error", json_object().text("text", engine.last_error).count("at_ns", engine.last_error_at));
  if (!engine.stall.empty())
    json.object("stall", json_object().text("text", engine.stall).count("waiting", engine.stall_waiting));
  std::vector<json_object> labels;
  for (const label_snapshot& label : engine.labels) labels.push_back(json_of(label));
  json.object("counts", counts_of(engine)).object("histograms_ns", json_of(engine.histograms)).list("labels", labels);
  return json;
}

}  // namespace

std::string stat_json(const std::vector<counters_snapshot>& engines) {
  std::vector<json_object> list;
  list.reserve(engines.size());
  for (const counters_snapshot& engine : engines) list.push_back(json_of(engine));
  json_object all;
  all.list("engines", list);
  return all.str() + "\n";
}

}  // namespace detent::tool
