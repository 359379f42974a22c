// SPDX-License-Identifier: MIT
// By which labels the series of one engine differ from those of another.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "counters/counters_snapshot.hpp"

namespace detent::tool {

// Engines are distinguished by the name and the instance that their program has chosen, which a restart does not
// change. Engines that have both in common are distinguished by their files as well, each of them, as no order among
// them would stay. They remain so for as long as this object exists, so that no series passes from one engine to
// another.
class series_names {
 public:
  // Call it once for each reading, with all engines of that reading.
  void note(const std::vector<counters_snapshot>& engines);
  // A line for each name and instance that several engines of the last reading have.
  const std::vector<std::string>& complaints() const { return complaints_; }
  // As labels of Prometheus, without the braces.
  std::string labels_of(const engine_identity& engine) const;

 private:
  std::set<std::pair<std::string, std::string>> shared_;  // name and instance
  std::vector<std::string> complaints_;
};

// NAME="VALUE", escaped.
std::string prometheus_label(std::string_view name, std::string_view value);

}  // namespace detent::tool
