// SPDX-License-Identifier: MIT
// An RPC client under load: how fast it is, what its timers did, and whether every promise was kept.
#include "load.hpp"

#include "asio_timers.hpp"
#include "detent_timers.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdio>
#include <exception>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

struct command_line {
  std::vector<std::string> servers;
  std::string timers = "detent";
  double seconds = 4;
  int rounds = 1;
  std::optional<double> least_cancelled;
  double timeout_ms = 2000;
  double deadline_ms = 5000;
  bool no_hedge = false;
  rpc::load_options load;
};

std::chrono::nanoseconds span(double ms) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double, std::milli>(ms));
}

void declare(CLI::App& app, command_line& given) {
  rpc::load_options& load = given.load;
  rpc::client_policy& policy = load.policy;
  app.add_option("--server", given.servers, "ADDRESS:PORT; hedging needs two")->required();
  app.add_option("--timers", given.timers, "Whose timers")
      ->check(CLI::IsMember({"detent", "asio", "both"}))
      ->capture_default_str();
  app.add_option("--seconds", given.seconds, "Of load, all runs together")
      ->check(CLI::Range(0.01, 1e5))
      ->capture_default_str();
  app.add_option("--rounds", given.rounds, "Runs with each kind of timers, taking turns")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--callers", load.callers, "Calls in flight")->check(CLI::Range(1, 1000000))->capture_default_str();
  app.add_option("--timeout-ms", given.timeout_ms, "Of one attempt")
      ->check(CLI::Range(0.01, 1e6))
      ->capture_default_str();
  app.add_option("--deadline-ms", given.deadline_ms, "Of a call with all its attempts")
      ->check(CLI::Range(0.01, 1e6))
      ->capture_default_str();
  app.add_option("--attempts", policy.retry.attempts, "At most, for each call")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--retry-budget", policy.retry_percent, "Retries, per cent of the calls")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  app.add_option("--hedge-budget", policy.hedge_percent, "Hedges, per cent of the calls")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  app.add_option("--hedge-percentile", policy.hedge_percentile, "A copy is sent after --hedge-factor times this")
      ->check(CLI::Range(1.0, 100.0))
      ->capture_default_str();
  app.add_option("--hedge-factor", policy.hedge_factor)->check(CLI::Range(0.01, 1e3))->capture_default_str();
  app.add_flag("--no-hedge", given.no_hedge, "Send no copies");
  app.add_option("--seed", load.seed, "Of the jitter; by default another each time");
  app.add_option("--expect-cancelled", given.least_cancelled, "Fail if fewer per cent of the timers were cancelled");
}

// ADDRESS:PORT
rpc::tcp::endpoint endpoint_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  rpc::error_code problem;
  const auto address = rpc::asio::ip::make_address(text.substr(0, colon), problem);
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const bool whole = colon != std::string::npos && std::from_chars(text.data() + colon + 1, end, port).ptr == end;
  if (problem || !whole || port == 0) throw std::runtime_error("--server " + text + ": not ADDRESS:PORT");
  return {address, port};
}

rpc::load_options options_of(const command_line& given) {
  rpc::load_options load = given.load;
  for (const std::string& server : given.servers) load.servers.push_back(endpoint_of(server));
  load.policy.retry.timeout = span(given.timeout_ms);
  load.policy.retry.deadline = span(given.deadline_ms);
  load.policy.hedge = !given.no_hedge;
  const int kinds = given.timers == "both" ? 2 : 1;
  load.length = span(given.seconds * 1000 / given.rounds / kinds);
  return load;
}

// True: go on.
template <class Timers>
bool run(const rpc::load_options& options, rpc::load_report& report) {
  rpc::load<Timers> load(options);
  load.run(report);
  return !load.interrupted();
}

using runner = bool (*)(const rpc::load_options&, rpc::load_report&);

int measure(const command_line& given) {
  const rpc::load_options options = options_of(given);
  std::vector<rpc::load_report> reports;
  std::vector<runner> runners;
  if (given.timers != "asio") {
    reports.push_back({.timer_name = "detent"});
    runners.push_back(run<rpc::detent_timers>);
  }
  if (given.timers != "detent") {
    reports.push_back({.timer_name = "asio"});
    runners.push_back(run<rpc::asio_timers>);
  }
  fmt::print("{} callers, seed {}\n", options.callers, options.seed);
  bool going_on = true;
  for (int round = 0; round < given.rounds; ++round) {
    for (std::size_t i = 0; i < runners.size() && going_on; ++i) {
      const std::size_t kind = (i + static_cast<std::size_t>(round)) % runners.size();  // nobody is always first
      going_on = runners[kind](options, reports[kind]);
    }
  }
  std::erase_if(reports,
                [](const rpc::load_report& report) { return report.calls.calls() == 0; });  // interrupted before
  rpc::print(reports);
  fmt::print("\n");
  bool kept = true;
  std::uint64_t requests = 0;
  for (const rpc::load_report& report : reports) {
    kept = rpc::check(report, given.least_cancelled) && kept;
    requests += report.wire.requests;
  }
  fmt::print("requests sent: {}\n", requests);
  return kept ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  command_line given;
  given.load.seed = std::random_device{}();
  CLI::App app("Many RPC calls at once, with timeouts, retries and hedges. Exit status 0: every promise was kept.");
  declare(app, given);
  CLI11_PARSE(app, count, words);
  try {
    return measure(given);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "rpc_load: {}\n", problem.what());
    return 1;
  }
}
