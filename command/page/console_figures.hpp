// SPDX-License-Identifier: MIT
// Derives from a view the sums, the things that need attention, and the order in which things are shown.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "page/console_view.hpp"

namespace detent::tool {

// Returns whether the engine's next timer has long been due although no callback has run lately: no thread drives the
// engine, or a callback does not return.
bool stalled(const console_engine& engine);

// Counts within the time that the engine's figures cover.
std::uint64_t counted(const console_engine& engine, counter key);

struct console_rates {
  double scheduled = 0, fired = 0, cancelled = 0;  // per second
};
// Rates over the last ten seconds, so that the figures stand still long enough to be read.
console_rates recent_rates(const console_engine& engine);

struct console_alert {
  severity judged = severity::warning;
  std::string link = {};  // the part of the page with the details; may be empty
  std::string subject = {};
  std::string which = {};  // which of several with that name; empty if there is only one
  std::string seen = {};
  std::string cure = {};   // empty if none is known
  std::string since = {};  // in words; empty if it is unknown
};
// Returns the alerts, worst first. An engine's alerts include those of its shards.
std::vector<console_alert> alerts_of(const console_engine& engine);
std::vector<console_alert> alerts_of(const console_store& store);
std::vector<console_alert> alerts_of(const console_view& view);

// Returns a text such as "since 11:42:10 UTC, for 18 min".
std::string since_text(const trouble_span& trouble, console_time now);

// Returns how bad the engine is by its alerts. A mere note does not count.
severity worst_of(const console_engine& engine);

// Sorts by the worst alert, then by p99.
std::vector<const console_engine*> worst_first(const std::vector<console_engine>& engines);
std::vector<const console_shard*> worst_first(const std::vector<console_shard>& shards);

// Returns the engine or the shard with that id, or null.
const console_engine* engine_of(const std::vector<console_engine>& engines, std::string_view id);

}  // namespace detent::tool
