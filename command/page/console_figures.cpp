// SPDX-License-Identifier: MIT
#include "page/console_figures.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <tuple>

#include "lateness/lateness_diagnosis.hpp"
#include "page/console_html.hpp"
#include "text/printable_text.hpp"
#include "text/units.hpp"
#include "top/row_text.hpp"

namespace detent::tool {
namespace {

constexpr double second = 1e9;
constexpr double stalled_after = second, lags_after = second, overdue_after = 10 * second;
constexpr double hangs_after = 5;  // seconds

std::string some(std::uint64_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count_text(count), count == 1 ? one : several);
}

// Returns for how many seconds no callback has ended, by the readings; zero if one has in the last interval.
double seconds_without_a_run(const console_engine& engine) {
  double sum = 0;
  for (auto each = engine.history.rbegin(); each != engine.history.rend() && each->fired == 0; ++each)
    sum += each->seconds;
  return sum;
}

// In nanoseconds.
double earliest_overdue(const console_store& store) {
  if (store.next.empty() || !store.read_at) return 0;
  using nanoseconds = std::chrono::duration<double, std::nano>;
  return (nanoseconds(store.read_at->time_since_epoch()) - nanoseconds(store.next.front().due.time_since_epoch()))
      .count();
}

void sort(std::vector<console_alert>& alerts) { std::ranges::stable_sort(alerts, {}, &console_alert::judged); }

void append(std::vector<console_alert>& to, std::vector<console_alert> more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

bool stalled(const console_engine& engine) {
  return engine.live && engine.next_due && *engine.next_due < -stalled_after && engine.row.pending > 0 &&
         (engine.history.empty() || engine.history.back().fired == 0);
}

std::uint64_t counted(const console_engine& engine, counter key) {
  return rounded_count(engine.row.rates[key] * engine.seconds);
}

console_rates recent_rates(const console_engine& engine) {
  constexpr double enough = 10;
  console_rates sum;
  double seconds = 0;
  for (auto each = engine.history.rbegin(); each != engine.history.rend() && seconds < enough; ++each) {
    sum.scheduled += each->scheduled * each->seconds;
    sum.fired += each->fired * each->seconds;
    sum.cancelled += each->cancelled * each->seconds;
    seconds += each->seconds;
  }
  if (seconds > 0) return {sum.scheduled / seconds, sum.fired / seconds, sum.cancelled / seconds};
  const auto& rates = engine.row.rates;
  return {rates[counter::scheduled], rates[counter::fired], rates[counter::cancelled]};
}

std::vector<console_alert> alerts_of(const console_engine& engine) {
  const top_row& row = engine.row;
  const std::string span = "in the last " + span_text(engine.seconds);
  std::vector<console_alert> out;
  const auto add = [&](severity judged, std::string seen, std::string cure = "") {
    out.push_back({.judged = judged,
                   .link = "?engine=" + engine.id + "#engine",
                   .subject = row.identity.name,
                   .which = fmt::format("process {}", row.identity.process),
                   .seen = std::move(seen),
                   .cure = std::move(cure)});
  };
  const auto add_count = [&](severity judged, counter key, const char* one, const char* several, std::string cure) {
    if (const std::uint64_t count = counted(engine, key); count > 0)
      add(judged, some(count, one, several) + " " + span, std::move(cure));
  };
  if (stalled(engine)) {
    add(severity::bad, overdue_text(-*engine.next_due, row.why_overdue), overdue_cure(row.why_overdue));
  }
  const double idle = seconds_without_a_run(engine);
  if (engine.live && engine.queued.value_or(0) > 0 && idle >= hangs_after) {
    add(severity::bad,
        fmt::format("{} for the executor, which has ended none for {}",
                    some(*engine.queued, "callback waits", "callbacks wait"), age_text(idle * second)),
        "see what the executor's threads do: a callback that does not return keeps its thread");
  }
  if (engine.live && !row.stall.empty()) add(severity::bad, row.stall);
  if (const std::uint64_t count = counted(engine, counter::missed); count > 0) {
    const std::string why = text_of(row.why);
    add(severity::bad, some(count, "period missed ", "periods missed ") + span + (why.empty() ? "" : "; " + why),
        cure_of(row.why));
  }
  add_count(severity::bad, counter::dropped, "timer dropped", "timers dropped", "");
  add_count(severity::bad, counter::over_capacity, "timer refused at the limit", "timers refused at the limit",
            "a larger max_pending, or fewer requests that need a timer");
  add_count(severity::bad, counter::refused, "timer refused by the executor", "timers refused by the executor",
            "a longer queue or more threads in the executor, or fewer timers at once");
  if (const std::uint64_t failed = counted(engine, counter::failed); failed > 0) {
    const std::string error = last_error_of(row);
    add(severity::warning,
        some(failed, "callback threw ", "callbacks threw ") + span + (error.empty() ? "" : "; " + error));
  }
  add_count(severity::warning, counter::slow, "slow callback", "slow callbacks",
            "shorter callbacks, or an executor for the long ones");
  if (const std::string advice = advice_of(row); !advice.empty()) add(severity::warning, advice);
  if (row.set && row.set->found < row.set->shards) {
    add(severity::warning, fmt::format("{} of its {} shards can be read", row.set->found, row.set->shards));
  }
  if (engine.hidden_threads > 0) {
    add(severity::note,
        some(engine.hidden_threads, "thread counts", "threads count") + " where the file has no room for it");
  }
  if (engine.killed) {
    add(severity::warning, "its process is gone, and the engine had not ended: these are its last figures",
        "see why the process ended: dmesg, the core file, the service's log");
  } else if (!engine.live) {
    add(severity::note, "has ended: these are its last figures");
  }
  sort(out);
  return out;
}

std::vector<console_alert> alerts_of(const console_store& store) {
  std::vector<console_alert> out;
  const auto add = [&](severity judged, const char* link, std::string seen, std::string cure) {
    out.push_back({.judged = judged,
                   .link = link,
                   .subject = "durable timers",
                   .seen = std::move(seen),
                   .cure = std::move(cure)});
  };
  if (store.silent > 0) {
    add(severity::bad, "#durable", "the store has not answered for " + age_text(store.silent * 1e9), "");
  } else if (!store.trouble.empty())
    add(severity::bad, "#durable", "the store cannot be read: " + store.trouble, "");
  std::uint64_t unowned = 0, unknown = 0, lagging = 0, dead = 0;
  double most = 0;
  for (const console_shard& each : store.shards) {
    dead += each.dead;
    if (!each.node_known) {
      ++unknown;
    } else if (each.node.empty()) {
      ++unowned;
    } else if (each.lag && *each.lag > lags_after) {
      ++lagging;
      most = std::max(most, *each.lag);
    }
  }
  if (unowned > 0) {
    add(severity::bad, "#durable", some(unowned, "shard has", "shards have") + " no owner: their timers do not run",
        "start a node, or see why those that run do not take them");
  }
  // Some kinds of store never know an owner, and that is no alert.
  if (unknown > 0 && unknown < store.shards.size()) {
    add(severity::warning, "#durable", some(unknown, "shard's", "shards'") + " owner is not known",
        "see why the part of the store that has them does not answer");
  }
  if (lagging > 0) {
    add(severity::warning, "#durable",
        fmt::format("{} late in reading, by up to {}", some(lagging, "shard is", "shards are"), time_text(most)),
        "see whether their owners reach the store, and how long it takes to answer");
  }
  if (!store.unrun.empty()) {
    std::string list;
    for (const std::string& each : store.unrun) list += (list.empty() ? "" : ", ") + printable(each);
    add(severity::bad, "#nodes", "no node runs " + list + ", of timers that come next",
        "start a node that has it, or cancel them");
  }
  if (const auto lost = std::ranges::count(store.nodes, console_node::state::lost, &console_node::is); lost > 0) {
    add(severity::warning, "#nodes",
        some(static_cast<std::uint64_t>(lost), "node was", "nodes were") + " lost in the last 5 min: without a word",
        "see whether its process crashed, hangs or cannot reach the store");
  }
  if (const double late = earliest_overdue(store); late > overdue_after) {
    add(severity::warning, "#next", fmt::format("the next timer was due {} ago, and has not ended", age_text(late)),
        "see whether a node runs that has a handler for it, and how long that takes");
  }
  if (dead > 0) {
    add(severity::warning, "#dead", some(dead, "timer is dead", "timers are dead"),
        "find out why; then: detent durable revive, or purge, with --store STORE");
  }
  sort(out);
  return out;
}

std::string since_text(const trouble_span& trouble, console_time now) {
  const bool today = std::chrono::floor<std::chrono::days>(trouble.from) == std::chrono::floor<std::chrono::days>(now);
  const std::tm at = fmt::gmtime(std::chrono::system_clock::to_time_t(trouble.from));
  const std::string clock = today ? fmt::format("{:%T}", at) : fmt::format("{:%F %T}", at);
  if (trouble.may_be_older) return fmt::format("since {} UTC or longer: what was before is not kept", clock);
  return fmt::format("since {} UTC, for {}", clock,
                     span_text(std::chrono::duration<double>(now - trouble.from).count()));
}

std::vector<console_alert> alerts_of(const console_view& view) {
  std::vector<console_alert> out;
  for (const console_engine& each : view.engines) {
    std::vector<console_alert> own = alerts_of(each);
    // The span belongs to the engine, not to an alert, so it stands once, beside the worst alert.
    if (!own.empty() && each.live && each.trouble && each.trouble->judged == own.front().judged)
      own.front().since = since_text(*each.trouble, view.now);
    append(out, std::move(own));
  }
  if (view.store) append(out, alerts_of(*view.store));
  for (const finding& each : view.findings) {
    if (each.judged == severity::bad)
      out.push_back({.judged = severity::bad,
                     .link = "#doctor",
                     .subject = "this host",
                     .which = each.subject,
                     .seen = each.seen,
                     .cure = each.cure});
  }
  if (!view.history_trouble.empty())
    out.push_back({.judged = severity::note, .subject = "the console", .seen = view.history_trouble});
  for (const std::string& each : view.troubles) out.push_back({.subject = "counters file", .seen = each});
  sort(out);
  return out;
}

severity worst_of(const console_engine& engine) {
  const std::vector<console_alert> alerts = alerts_of(engine);
  return alerts.empty() || alerts.front().judged > severity::warning ? severity::fine : alerts.front().judged;
}

std::vector<const console_engine*> worst_first(const std::vector<console_engine>& engines) {
  struct place {
    severity judged;
    double p99;
    const console_engine* engine;
  };
  std::vector<place> places;
  places.reserve(engines.size());
  for (const console_engine& each : engines)
    places.push_back({worst_of(each), each.row.times[cause::lateness].p99, &each});
  std::ranges::stable_sort(places, [](const place& a, const place& b) {
    return std::tie(a.judged, b.p99, a.engine->id) < std::tie(b.judged, a.p99, b.engine->id);
  });
  std::vector<const console_engine*> out;
  out.reserve(places.size());
  for (const place& each : places) out.push_back(each.engine);
  return out;
}

std::vector<const console_shard*> worst_first(const std::vector<console_shard>& shards) {
  const auto trouble = [](const console_shard& shard) { return !shard.node_known ? 1 : shard.node.empty() ? 0 : 2; };
  const auto lag = [](const console_shard& shard) {
    return std::max(shard.lag.value_or(std::numeric_limits<double>::lowest()), lags_after);
  };
  std::vector<const console_shard*> out;
  out.reserve(shards.size());
  for (const console_shard& each : shards) out.push_back(&each);
  std::ranges::stable_sort(out, [&](const console_shard* a, const console_shard* b) {
    if (trouble(*a) != trouble(*b)) return trouble(*a) < trouble(*b);
    if (lag(*a) != lag(*b)) return lag(*a) > lag(*b);
    return std::tie(b->dead, b->backlog, a->shard) < std::tie(a->dead, a->backlog, b->shard);
  });
  return out;
}

const console_engine* engine_of(const std::vector<console_engine>& engines, std::string_view id) {
  for (const console_engine& each : engines) {
    if (each.id == id) return &each;
    for (const console_engine& shard : each.shards)
      if (shard.id == id) return &shard;
  }
  return nullptr;
}

}  // namespace detent::tool
