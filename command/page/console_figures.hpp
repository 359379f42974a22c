// SPDX-License-Identifier: MIT
// Derives from a view the sums, the things that need attention, and the order in which things are shown.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "page/console_view.hpp"

namespace detent::tool {

// In the time that the engine's figures are of.
std::uint64_t counted(const console_engine& engine, counter key);

struct console_rates {
  double scheduled = 0, fired = 0, cancelled = 0;  // a second
};
// Over the last ten seconds, which a figure that is read needs to stand still.
console_rates recent_rates(const console_engine& engine);

struct console_alert {
  severity judged = severity::warning;
  std::string link = {};  // of this page, where the rest is; empty: nowhere
  std::string subject = {};
  std::string which = {};  // of several of that name; empty: there is only one
  std::string seen = {};
  std::string cure = {};   // empty: none that could be named
  std::string since = {};  // in words; empty: it is not known
};
// The alerts, the worst first. Those of its shards count as an engine's own.
std::vector<console_alert> alerts_of(const console_engine& engine);
std::vector<console_alert> alerts_of(const console_store& store);
std::vector<console_alert> alerts_of(const console_view& view);

// "since 11:42:10 UTC, for 18 min".
std::string since_text(const trouble_span& trouble, console_time now);

// How bad the engine is by its alerts. A mere note is none.
severity worst_of(const console_engine& engine);

// Sorts by the worst alert, then by p99.
std::vector<const console_engine*> worst_first(const std::vector<console_engine>& engines);
std::vector<const console_shard*> worst_first(const std::vector<console_shard>& shards);

// Finds the engine or the shard with that id, or returns null.
const console_engine* engine_of(const std::vector<console_engine>& engines, std::string_view id);

}  // namespace detent::tool
