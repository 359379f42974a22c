// SPDX-License-Identifier: MIT
#include "stat/stat_intervals.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <thread>

#include "counters/counters_set.hpp"
#include "stat/complaint_log.hpp"
#include "stat/stat_command.hpp"
#include "text/input_error.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr std::uint64_t lines_to_a_header = 20;

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw input_error(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
}

std::string time_of(duration d) { return time_text(static_cast<double>(d.count())); }

// Returns the reading of the same file and the same process, or null.
const counters_snapshot* find(const std::vector<counters_snapshot>& among, const counters_snapshot& engine) {
  const auto is_same = [&engine](const counters_snapshot& each) {
    return each.identity.path == engine.identity.path && each.identity.made_at == engine.identity.made_at;
  };
  const auto found = std::find_if(among.begin(), among.end(), is_same);
  return found == among.end() ? nullptr : &*found;
}

}  // namespace

std::string interval_header() {
  return fmt::format("{:<8} {:<16} {:>9} {:>9} {:>9} {:>9} {:>7} {:>9} {:>8} {:>8} {:>8} {:>8} {:>6}\n", "TIME",
                     "ENGINE", "SCHED/s", "FIRED/s", "CANCEL/s", "RESTART/s", "MISS/s", "PENDING", "P50", "P99", "MAX",
                     "WAKE/s", "FAILED");
}

std::string interval_line(const counters_snapshot& earlier, const counters_snapshot& later) {
  const counters_snapshot now = since(later, earlier);
  const double seconds = static_cast<double>(std::max<std::int64_t>(later.read_at - earlier.read_at, 1)) / 1e9;
  const auto rate = [seconds](std::uint64_t count) {
    return fmt::format("{:.0f}", static_cast<double>(count) / seconds);
  };
  const counters_histogram& late = now.histograms[cause::lateness];
  const auto lateness = [&late](duration of) { return late.count() == 0 ? std::string("-") : time_of(of); };
  return fmt::format("{:%H:%M:%S} {:<16.16} {:>9} {:>9} {:>9} {:>9} {:>7} {:>9} {:>8} {:>8} {:>8} {:>8} {:>6}\n",
                     fmt::localtime(std::time(nullptr)), later.identity.name, rate(now.totals[counter::scheduled]),
                     rate(now.totals[counter::fired]), rate(now.cancelled()), rate(now.totals[counter::restarted]),
                     rate(now.totals[counter::missed]), later.pending(), lateness(late.percentile(50)),
                     lateness(late.percentile(99)), lateness((late.max)()),
                     rate(static_cast<std::uint64_t>(std::max<std::int64_t>(now.gauges[gauge::wakeups], 0))),
                     now.totals[counter::failed]);
}

namespace {

stat_reading read_folded(const std::vector<std::string>& targets, bool each_shard) {
  stat_reading reading = read_stat(targets);
  if (!each_shard) fold_sets(reading.engines);
  return reading;
}

}  // namespace

bool print_intervals(const std::vector<std::string>& targets, const stat_intervals& options) {
  stat_reading earlier = read_folded(targets, options.each_shard);
  if (earlier.failed || (earlier.engines.empty() && !earlier.complaints.empty()))
    throw input_error(earlier.complaints.front());
  if (earlier.engines.empty()) throw input_error("no engine on this host has a counters file (docs/counters.md)");
  const auto step =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(options.seconds));
  complaint_log log;
  log.print_new(earlier.complaints);
  auto next = std::chrono::steady_clock::now() + step;
  std::uint64_t lines = 0;
  for (std::uint64_t interval = 0; options.count == 0 || interval != options.count; ++interval) {
    std::this_thread::sleep_until(next);
    stat_reading later = read_folded(targets, options.each_shard);
    std::string text;
    bool alive = false;
    for (const counters_snapshot& engine : later.engines) {
      const counters_snapshot* const before = find(earlier.engines, engine);
      if (before == nullptr || !before->is_live()) continue;
      if (lines++ % lines_to_a_header == 0) text += interval_header();
      text += interval_line(*before, engine);
      alive = alive || engine.is_live();
      if (!engine.gone.empty()) {
        later.complaints.push_back(fmt::format("{}: stale: {}", engine.identity.path, engine.gone));
        later.failed = true;
      }
    }
    print(text);
    log.print_new(later.complaints);
    if (!alive && !targets.empty()) return !later.failed;
    earlier = std::move(later);
    next += step;
    // After a pause, missed intervals are skipped, because they would be empty.
    if (const auto now = std::chrono::steady_clock::now(); next < now) next = now + step;
  }
  return true;
}

}  // namespace detent::tool
