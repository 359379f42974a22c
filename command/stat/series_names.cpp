// SPDX-License-Identifier: MIT
#include "stat/series_names.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>

namespace detent::tool {

void series_names::note(const std::vector<counters_snapshot>& engines) {
  std::map<std::pair<std::string, std::string>, std::size_t> seen;
  for (const counters_snapshot& each : engines) ++seen[{each.identity.name, each.identity.instance}];
  complaints_.clear();
  for (const auto& [who, count] : seen) {
    if (count == 1) continue;
    shared_.insert(who);
    const std::string instance = who.second.empty() ? "no instance" : fmt::format("the instance '{}'", who.second);
    complaints_.push_back(
        fmt::format("{} engines have the name '{}' and {}: their series have the label counters_file as well, and a "
                    "restart may begin new ones; set engine_options::instance",
                    count, who.first, instance));
  }
}

std::string series_names::labels_of(const engine_identity& engine) const {
  std::string labels = prometheus_label("engine", engine.name);
  if (!engine.instance.empty()) labels += "," + prometheus_label("engine_instance", engine.instance);
  if (shared_.contains({engine.name, engine.instance})) labels += "," + prometheus_label("counters_file", engine.path);
  return labels;
}

std::string prometheus_label(std::string_view name, std::string_view value) {
  std::string out = fmt::format("{}=\"", name);
  for (const char c : value) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace detent::tool
