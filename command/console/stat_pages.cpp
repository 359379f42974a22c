// SPDX-License-Identifier: MIT
#include "console/stat_pages.hpp"

#include <algorithm>
#include <utility>

#include "console/console_budget.hpp"
#include "stat/prometheus_text.hpp"
#include "stat/stat_command.hpp"
#include "stat/stat_json.hpp"

namespace detent::tool {

stat_pages::stat_pages(std::string directory) : directory_(std::move(directory)) {}

void stat_pages::read_again() {
  using std::chrono::steady_clock;
  const auto began = steady_clock::now();
  if (began < serves_until_) return;
  const stat_reading reading = read_stat({}, directory_, console_budget);
  prometheus_ = prometheus_text(reading.engines, names_);
  json_ = stat_json(reading.engines);
  trouble_.clear();
  if (reading.failed && reading.engines.empty())
    for (const std::string& each : reading.complaints) trouble_ += each + "\n";
  const auto ended = steady_clock::now();
  serves_until_ = ended + std::max<steady_clock::duration>(std::chrono::seconds(1), 9 * (ended - began));
}

const std::string& stat_pages::prometheus() {
  read_again();
  return prometheus_;
}

const std::string& stat_pages::json() {
  read_again();
  return json_;
}

}  // namespace detent::tool
