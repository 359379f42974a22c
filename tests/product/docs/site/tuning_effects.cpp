// SPDX-License-Identifier: MIT
// What do the options of docs/tuning.md change on this machine? Each is measured without and with, by turns, and told
// as the median of each and the median of the ratios. Prints the rows of the page's tables.
#include <detent/detent.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

struct effort {
  int rounds = 5;
  detent::duration length = 1s;
  std::size_t timers = 1'000'000;
  std::uint64_t seed = 1;
};

// The figures of a run, which are the columns of a table.
constexpr std::size_t most_figures = 4;
using figures = std::array<double, most_figures>;

struct usage {
  double cpu_seconds;
  double faults;
};

usage usage_so_far() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return {seconds(used.ru_utime) + seconds(used.ru_stime), static_cast<double>(used.ru_minflt)};
}

double microseconds(detent::duration d) { return static_cast<double>(d.count()) * 1e-3; }

double median(std::vector<double> of) {
  std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2), of.end());
  return of[of.size() / 2];
}

// Lateness p50 and p99 in us, CPU of the process in percent of one, wake-ups a second: 1,000 timers a second with
// delays of 1 to 100 ms, made by another thread, which sleeps in between.
figures lateness_run(const effort& how, const detent::engine_options& options, const detent::timer_options& each) {
  detent::engine engine(options);
  std::mt19937_64 random(how.seed);
  std::uniform_int_distribution<std::int64_t> delay(1'000'000, 100'000'000);
  const double cpu_before = usage_so_far().cpu_seconds;
  const auto began = detent::clock::now();
  for (auto at = began; at < began + how.length; at += 1ms) {
    std::this_thread::sleep_until(at);
    engine.schedule_after(
        detent::duration(delay(random)), [] {}, each);
  }
  const double wall = static_cast<double>((detent::clock::now() - began).count()) * 1e-9;
  const double cpu = usage_so_far().cpu_seconds - cpu_before;
  const detent::engine_metrics seen = engine.metrics();
  engine.stop();
  return {microseconds(seen.lateness.percentile(50)), microseconds(seen.lateness.percentile(99)), 100 * cpu / wall,
          static_cast<double>(seen.wakeups) / wall};
}

// The first `timers` calls of an engine with room for as many: p50 and worst of a call in us, page faults a thousand.
figures first_calls_run(const effort& how, detent::engine_options options) {
  options.drive = detent::drive_kind::caller;
  options.reserve = how.timers;
  detent::engine engine(options);
  std::vector<detent::duration> took;
  took.reserve(how.timers);
  const auto far = detent::clock::now() + 1h;
  for (std::size_t i = 0; i < how.timers; ++i) took.emplace_back(0);
  const double faults_before = usage_so_far().faults;
  for (detent::duration& each : took) {
    const auto before = detent::clock::now();
    engine.schedule_at(far, [] {});
    each = detent::clock::now() - before;
  }
  const double faults = usage_so_far().faults - faults_before;
  std::sort(took.begin(), took.end());
  return {microseconds(took[took.size() / 2]), microseconds(took[took.size() * 999 / 1000]), microseconds(took.back()),
          1000 * faults / static_cast<double>(how.timers)};
}

// Schedule and cancel any of `timers` that are pending: ns a pair.
figures any_of_many_run(const effort& how, detent::engine_options options) {
  options.drive = detent::drive_kind::caller;
  options.reserve = how.timers;
  detent::engine engine(options);
  const auto far = detent::clock::now() + 1h;
  std::vector<detent::timer> live(how.timers);
  for (detent::timer& each : live) each = engine.schedule_at(far, [] {});
  std::mt19937_64 random(how.seed);
  const auto began = detent::clock::now();
  for (std::size_t i = 0; i < how.timers; ++i) {
    detent::timer& chosen = live[random() % live.size()];
    chosen.cancel();
    chosen = engine.schedule_at(far, [] {});
  }
  return {static_cast<double>((detent::clock::now() - began).count()) / static_cast<double>(how.timers)};
}

struct subject {
  std::string name;
  std::string without, with;
  std::function<figures(bool with)> run;
};

subject of_engine(const effort& how, std::string name, std::string without, std::string with,
                  const detent::engine_options& options) {
  return {std::move(name), std::move(without), std::move(with),
          [how, options](bool changed) { return lateness_run(how, changed ? options : detent::engine_options{}, {}); }};
}

std::vector<subject> lateness_subjects(const effort& how) {
  using detent::wait_options;
  const int last_cpu = static_cast<int>(std::thread::hardware_concurrency()) - 1;
  std::vector<subject> all = {
      of_engine(how, "busy", "hybrid", "busy", {.wait = wait_options::busy()}),
      of_engine(how, "sleep", "hybrid", "sleep", {.wait = wait_options::sleep()}),
      of_engine(how, "spin50", "hybrid", "hybrid, at most 50 us", {.wait = wait_options::hybrid(50us)}),
      of_engine(how, "spin1000", "hybrid", "hybrid, at most 1 ms", {.wait = wait_options::hybrid(1ms)}),
      of_engine(how, "tick", "tick 1 ns", "tick 1 ms", {.tick = 1ms}),
      of_engine(how, "cpu", "any CPU", fmt::format("CPU {}", last_cpu), {.cpu = last_cpu}),
      of_engine(how, "priority", "ordinary", "SCHED_FIFO 50", {.realtime_priority = 50}),
      of_engine(how, "latency", "any idle state", "cpu_latency_limit = 0", {.cpu_latency_limit = 0us}),
      of_engine(how, "steady", "TSC", "steady clock", {.clock = detent::clock_kind::steady})};
  all.push_back({"light", "busy", "busy, light_spin", [how](bool with) {
                   wait_options spins = wait_options::busy();
                   spins.light_spin = with;
                   return lateness_run(how, {.wait = spins}, {});
                 }});
  all.push_back({"slack", "no slack", "slack 5 ms", [how](bool with) {
                   return lateness_run(how, {}, {.slack = with ? detent::duration(5ms) : detent::duration(0)});
                 }});
  return all;
}

std::vector<subject> memory_subjects(const effort& how) {
  using detent::preference;
  const auto with_memory = [](detent::memory_options memory) { return detent::engine_options{.memory = memory}; };
  return {{"prefault", "untouched", "prefault",
           [=](bool with) {
             return first_calls_run(how, with_memory({.prefault = with ? preference::require : preference::off}));
           }},
          {"huge", "4 KiB pages", "huge pages", [=](bool with) {
             return any_of_many_run(how, with_memory({.huge_pages = with ? preference::require : preference::off,
                                                      .prefault = preference::require}));
           }}};
}

// Three digits, and no more zeros than needed to say how large it is.
std::string digits(double value) { return value < 1000 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value); }

// By turns, so that whatever else the machine does meets both.
void tell(const subject& measured, int rounds, const std::vector<std::string>& columns) {
  std::array<std::vector<double>, most_figures> without, with, ratios;
  for (int round = 0; round < rounds; ++round) {
    const figures before = measured.run(false), after = measured.run(true);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      without[i].push_back(before[i]);
      with[i].push_back(after[i]);
      if (before[i] > 0) ratios[i].push_back(after[i] / before[i]);
    }
  }
  std::string row = fmt::format("| {} → {} |", measured.without, measured.with);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string ratio = ratios[i].empty() ? "–" : digits(median(ratios[i])) + " x";
    row += fmt::format(" {} → {} ({}) |", digits(median(without[i])), digits(median(with[i])), ratio);
  }
  fmt::print("{}\n", row);
}

void tell_all(const std::vector<subject>& subjects, const std::vector<std::string>& wanted, int rounds,
              const std::vector<std::string>& columns) {
  std::string rule;
  for (std::size_t i = 0; i < columns.size(); ++i) rule += "---:|";
  bool begun = false;
  for (const subject& each : subjects) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), each.name) == wanted.end()) continue;
    if (!begun) fmt::print("| | {} |\n|---|{}\n", fmt::join(columns, " | "), rule);
    begun = true;
    try {
      tell(each, rounds, columns);
    } catch (const detent::error& refused) {
      fmt::print("| {} → {} | not here: {} |\n", each.without, each.with, refused.what());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  effort how;
  std::vector<std::string> wanted;
  std::int64_t milliseconds = 1000;
  CLI::App app("What the options of docs/tuning.md change on this machine");
  app.add_option("SUBJECT", wanted, "all of them, if none is named")
      ->check(CLI::IsMember({"busy", "sleep", "spin50", "spin1000", "tick", "cpu", "priority", "latency", "light",
                             "steady", "slack", "prefault", "huge"}));
  app.add_option("--rounds", how.rounds, "each is measured so many times without and with")->check(CLI::Range(1, 1000));
  app.add_option("--milliseconds", milliseconds, "of each run of timers")->check(CLI::Range(1, 1'000'000));
  app.add_option("--timers", how.timers, "pending, where memory is measured")->check(CLI::Range(1'000, 100'000'000));
  app.add_option("--seed", how.seed, "of delays and choices; default 1");
  CLI11_PARSE(app, argc, argv);
  how.length = std::chrono::milliseconds(milliseconds);
  tell_all(lateness_subjects(how), wanted, how.rounds, {"p50 late, us", "p99 late, us", "CPU, %", "wake-ups a second"});
  const std::vector<subject> memory = memory_subjects(how);
  tell_all({memory[0]}, wanted, how.rounds, {"p50 of a call, us", "p99.9, us", "worst, us", "faults per 1,000"});
  tell_all({memory[1]}, wanted, how.rounds, {"ns a pair"});
  return 0;
}
