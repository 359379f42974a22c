// SPDX-License-Identifier: MIT
// The labels that distinguish the series of one engine from those of another.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "counters/counters_snapshot.hpp"

namespace detent::tool {

// Distinguishes engines by the name and the instance that their programs have chosen, which stay the same after a
// restart. If engines have both in common, each is distinguished by its file as well, because no order among them would
// last. That remains so as long as this object exists, so that no series passes from one engine to another.
class series_names {
 public:
  // Call it once for each reading, with all of its engines.
  void note(const std::vector<counters_snapshot>& engines);
  // Has a line for each name and instance that several engines of the last reading share.
  const std::vector<std::string>& complaints() const { return complaints_; }
  // Returns Prometheus labels without the braces.
  std::string labels_of(const engine_identity& engine) const;

 private:
  std::set<std::pair<std::string, std::string>> shared_;  // name and instance
  std::vector<std::string> complaints_;
};

// Returns NAME="VALUE", escaped.
std::string prometheus_label(std::string_view name, std::string_view value);

}  // namespace detent::tool
