// SPDX-License-Identifier: MIT
// Views of a host that never was, for the page of `detent console`.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "page/console_view.hpp"

namespace detent::test {

inline constexpr tool::console_time noon{std::chrono::sys_days(std::chrono::year(2026) / 5 / 4) +
                                         std::chrono::hours(12)};

inline tool::time_figures figures(std::uint64_t count, double p50, double p99, double most) {
  return {.count = count,
          .p50 = p50,
          .p90 = (p50 + p99) / 2,
          .p99 = p99,
          .p999 = (p99 + most) / 2,
          .most = most,
          .sum = p50 * static_cast<double>(count)};
}

// Makes an engine that was watched for `seconds`, fires `rate` timers a second and is late, mostly because of the wait.
inline tool::console_engine made_up_engine(const std::string& name, std::int64_t process, double rate, double p50,
                                           double seconds = 300, tool::console_time now = noon) {
  tool::console_engine engine;
  engine.id = std::to_string(process) + ".0";
  engine.seconds = seconds;
  tool::top_row& row = engine.row;
  row.identity.path = "/dev/shm/detent." + engine.id;
  row.identity.name = name;
  row.identity.process = process;
  row.identity.worker_thread = static_cast<std::uint32_t>(process + 1);
  row.identity.tick = 1;
  row.identity.wheel = "hierarchical";
  row.identity.wait = "hybrid";
  row.identity.drive = "worker";
  row.identity.clock = "tsc";
  row.age = 9.3e12;
  row.pending = static_cast<std::uint64_t>(rate * 4);
  row.rates[tool::counter::scheduled] = row.rates[tool::counter::fired] = rate;
  row.rates[tool::counter::cancelled] = rate / 8;
  row.wakeups = rate / 3;
  row.margin = 52'000;
  row.cpu = 0.07;
  const auto count = static_cast<std::uint64_t>(rate * seconds);
  row.times[tool::cause::lateness] = figures(count, p50, p50 * 14, p50 * 320);
  row.times[tool::cause::drain] = figures(count, 0, p50, p50 * 4);
  row.times[tool::cause::wait] = figures(count, p50 * 0.8, p50 * 12, p50 * 310);
  row.times[tool::cause::worker] = figures(count, 0, p50 * 2, p50 * 30);
  row.times[tool::cause::dispatch] = figures(count, 0, 0, 0);
  row.times[tool::cause::callback] = figures(count, 400, 2'100, 61'000);
  engine.next_due = 2.3e6;
  for (int i = static_cast<int>(seconds); i > 0; --i) {
    const double at = static_cast<double>(process % 17) + static_cast<double>(i);
    const double wave = 1 + 0.3 * std::sin(at / 23) + 0.2 * std::sin(at / 5.3) * std::sin(at * 1.7);
    tool::console_sample sample;
    sample.at = now - std::chrono::seconds(i - 1);
    sample.seconds = 1;
    sample.p50 = p50 * wave;
    sample.p99 = p50 * 10 * wave * (i % 41 == 0 ? 6 : 1);
    sample.most = *sample.p99 * (i % 97 == 0 ? 40 : 2.5);
    sample.scheduled = rate * wave;
    sample.fired = rate * (0.9 + 0.1 * wave);
    sample.cancelled = rate / 8 * wave;
    sample.pending = static_cast<std::uint64_t>(rate * 4 * wave);
    engine.history.push_back(sample);
  }
  return engine;
}

inline tool::top_label made_up_label(const std::string& name, double rate, double p50) {
  tool::top_label label;
  label.name = name;
  label.scheduled = label.fired = rate;
  label.pending = static_cast<std::uint64_t>(rate * 4);
  const auto count = static_cast<std::uint64_t>(rate * 300);
  label.times[tool::cause::lateness] = figures(count, p50, p50 * 14, p50 * 320);
  label.times[tool::cause::wait] = figures(count, p50 / 2, p50 * 12, p50 * 310);
  label.times[tool::cause::callback] = figures(count, 400, 2'100, 61'000);
  return label;
}

// Makes a set of that many shards.
inline tool::console_engine made_up_set(const std::string& name, std::int64_t process, std::uint32_t shards,
                                        double rate, double p50) {
  tool::console_engine all = made_up_engine(name + " x" + std::to_string(shards), process, rate, p50);
  all.id = std::to_string(process) + "-set1";
  all.row.identity.set = 1;
  all.row.identity.shards = shards;
  all.row.set = tool::set_figures{
      .found = shards, .shards = shards, .skew = 1.21, .busiest = 2, .worst = 0, .worst_p99 = p50 * 14};
  for (std::uint32_t i = 0; i < shards; ++i) {
    tool::console_engine shard = made_up_engine(name, process, rate / shards, p50 * (1 + 0.1 * i));
    shard.id = std::to_string(process) + "." + std::to_string(i);
    shard.row.identity.set = 1;
    shard.row.identity.shard = i;
    shard.row.identity.shards = shards;
    all.shards.push_back(std::move(shard));
  }
  return all;
}

inline tool::console_timer made_up_timer(const std::string& key, const std::string& handler, double seconds) {
  tool::console_timer timer;
  timer.key = key;
  timer.handler = handler;
  timer.due = noon + std::chrono::milliseconds(std::llround(seconds * 1e3));
  timer.shard = static_cast<std::uint32_t>(key.size() % 8);
  return timer;
}

inline tool::console_store made_up_store() {
  tool::console_store store;
  store.name = "redis://timers.internal:6379/0, prefix \"orders\"";
  store.read_at = noon;
  const char* const nodes[] = {"gateway-a", "gateway-b", "gateway-c"};
  for (std::uint32_t i = 0; i < 8; ++i) {
    tool::console_shard shard;
    shard.shard = i;
    shard.node = nodes[i % 3];
    shard.lag = -0.9e9 - 1e7 * i;
    shard.timers = 12'000 + 370 * i;
    shard.backlog = i % 4;
    store.shards.push_back(shard);
  }
  store.nodes_known = true;
  for (const char* const node : nodes) store.nodes.push_back({.name = node, .seen = noon - std::chrono::seconds(1)});
  for (int i = 0; i < 50; ++i) {
    tool::console_timer timer = made_up_timer("order/2026-05-04/" + std::to_string(88'120 + 7 * i),
                                              i % 5 == 0 ? "expire_session" : "expire_order", 0.4 + i * i * 0.9);
    if (i % 5 == 0) timer.schedule = "0 0/15 9-16 ? * MON-FRI";
    store.next.push_back(std::move(timer));
  }
  return store;
}

inline tool::console_view made_up_view() {
  tool::console_view view;
  view.now = noon;
  view.host = "gw-fra-07";
  view.directory = "/dev/shm";
  view.engines = {made_up_set("orders", 4711, 4, 48'000, 1'900), made_up_engine("sessions", 4711, 320, 51'000),
                  made_up_engine("feed-handler", 5230, 210'000, 850), made_up_engine("game-loop", 6002, 1'200, 9'100)};
  view.engines[0].row.labels = {made_up_label("ack-timeout", 40'000, 1'900), made_up_label("resend", 7'000, 1'200),
                                made_up_label("heartbeat", 1'000, 900)};
  view.engines[1].id = "4711.9";
  view.engines[1].queued = 14;
  view.store = made_up_store();
  view.examined_at = noon - std::chrono::minutes(3);
  view.findings = {{.subject = "clock source",
                    .judged = tool::severity::fine,
                    .seen = "tsc, invariant, 2.6 GHz",
                    .where = "/sys/devices/system/clocksource"}};
  return view;
}

// Has something of each kind that needs attention.
inline tool::console_view troubled_view() {
  tool::console_view view = made_up_view();
  tool::console_engine& sessions = view.engines[1];
  sessions.row.rates[tool::counter::missed] = 12.0 / 300;
  sessions.row.rates[tool::counter::slow] = 4.0 / 300;
  sessions.row.rates[tool::counter::failed] = 2.0 / 300;
  sessions.row.missed = 31;
  sessions.row.why = {tool::late_scenario::worker_starved, "1.2 s of 2 s ready to run but waiting"};
  sessions.row.slow = 9;
  sessions.row.failed = 2;
  sessions.row.last_error = "no such session: 0x7f31";
  sessions.row.last_error_age = 41e9;
  sessions.row.stall = "clock_off: 10 stored timers wait, no shard is taken";
  sessions.row.cpu = 0.83;
  tool::console_engine gone = made_up_engine("importer", 7100, 40, 3'000);
  gone.live = false;
  view.engines.push_back(std::move(gone));
  view.troubles = {"/dev/shm/detent.311.0: its process has ended without ending the engine",
                   "/dev/shm/detent.980.2: cut short: 4,096 of 970,752 bytes"};
  tool::console_store& store = *view.store;
  store.shards[3].node.clear();
  store.shards[3].lag = 41e9;
  store.shards[3].backlog = 812;
  store.shards[5].lag = 3.2e9;
  store.shards[5].backlog = 1'000;
  store.shards[6].dead = 2;
  for (const char* const why :
       {"HTTP 503 from billing.internal after 5 attempts", "no handler of that name on any node"}) {
    tool::console_timer timer =
        made_up_timer("invoice/" + std::to_string(store.dead.size() + 77), "send_invoice", -5'400);
    timer.attempt = 5;
    timer.why = why;
    timer.died = timer.due + std::chrono::minutes(2);
    store.dead.push_back(std::move(timer));
  }
  store.nodes[2].is = tool::console_node::state::lost;
  store.nodes[2].seen = noon - std::chrono::seconds(41);
  store.unrun = {"expire_order"};
  view.findings.insert(view.findings.begin(),
                       {{.subject = "CPU frequency",
                         .judged = tool::severity::bad,
                         .seen = "governor powersave on 8 of 8 CPUs",
                         .where = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                         .meaning = "a worker that wakes finds a slow CPU: timers are up to 200 us later",
                         .cure = "cpupower frequency-set -g performance"},
                        {.subject = "idle states",
                         .judged = tool::severity::warning,
                         .seen = "C6 may be entered, 133 us to leave",
                         .meaning = "a sleeping worker wakes that much later",
                         .cure = "run the engine with wait_options::hybrid(), or: cpupower idle-set -D 20"}});
  return view;
}

inline const std::string& hostile_name() {
  static const std::string name =
      "<script>alert(1)</script>\"'&amp;\xe2\x80\xae\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d" + std::string(160, 'x');
  return name;
}

// Has the results of a search for an order, with one dead timer, and an opened timer.
inline tool::console_lookup made_up_lookup() {
  tool::console_timer waits = made_up_timer("order/2026-05-04/88120", "expire_order", 60);
  tool::console_timer dead = made_up_timer("order/2026-05-04/7", "expire_order", -90);
  dead.partition = "eu";
  dead.attempt = 5;
  dead.died = noon - std::chrono::seconds(30);
  dead.why = "HTTP 503 from billing.internal";
  tool::console_opening opening{.key = dead.key, .partition = dead.partition, .is_read = true, .timer = dead};
  opening.payload = "{\n  \"total\": \"12 \\u20ac\"\n}\x01";
  opening.payload_size = opening.payload.size();
  return {.search = tool::console_search{.text = "order/", .is_done = true, .found = {dead, waits}},
          .opening = opening};
}

inline tool::console_lookup hostile_lookup() {
  tool::console_lookup lookup = made_up_lookup();
  lookup.search->text = lookup.opening->key = lookup.opening->partition = hostile_name();
  lookup.opening->payload = "text " + hostile_name();  // so that no line of bytes contains the whole call
  for (tool::console_timer& each : lookup.search->found)
    each.key = each.partition = each.handler = each.why = hostile_name();
  lookup.opening->timer = lookup.search->found.front();
  return lookup;
}

// Each text that others can choose is hostile.
inline tool::console_view hostile_view() {
  tool::console_view view = troubled_view();
  const std::string& name = hostile_name();
  view.host = name;
  for (tool::console_engine& each : view.engines) {
    each.row.identity.name = name;
    each.row.last_error = each.row.stall = name;
    each.row.labels = {made_up_label(name, 10, 10)};
  }
  view.troubles = {name};
  tool::console_store& store = *view.store;
  store.name = store.trouble = name;
  for (tool::console_shard& each : store.shards) each.node = name;
  for (tool::console_node& each : store.nodes) each.name = name;
  store.unrun = {name};
  for (auto* const timers : {&store.next, &store.dead})
    for (tool::console_timer& each : *timers) each.key = each.handler = each.schedule = each.why = name;
  store.next.front().due = (tool::console_time::min)();
  store.next.back().due = (tool::console_time::max)();
  view.engines.front().row.rates[tool::counter::missed] = 1e30;
  for (tool::finding& each : view.findings) each.subject = each.seen = each.meaning = each.cure = name;
  return view;
}

}  // namespace detent::test
