// SPDX-License-Identifier: MIT
#include "comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "machine.hpp"

namespace peers {
namespace {

using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point began) {
  return std::chrono::duration<double>(steady_clock::now() - began).count();
}

}  // namespace

comparison::comparison(std::vector<rival> rivals, std::vector<task> tasks, std::ostream& out)
    : rivals_(std::move(rivals)), tasks_(std::move(tasks)), out_(out) {}

void comparison::run(int rounds) {
  write({{"machine", machine()}});
  introduce();
  for (int round = 1; round <= rounds && !rivals_.empty(); ++round) {
    for (const task& asked : tasks_) {
      if (round <= asked.rounds) run_task(asked, round);
    }
    std::rotate(rivals_.begin(), rivals_.begin() + 1, rivals_.end());
  }
  account();
}

void comparison::introduce() {
  for (rival& each : rivals_) {
    const auto began = steady_clock::now();
    try {
      each.meet();
    } catch (const child_failed& problem) {
      failed(each.name(), problem.what());
      continue;
    }
    seconds_by_system_[each.name()] += seconds_since(began);
    if (each.skipped().empty()) {
      write({{"system", each.name()}, {"version", each.version()}, {"how", each.how()}});
    } else {
      write({{"system", each.name()}, {"skipped", each.skipped()}});
    }
  }
  std::erase_if(rivals_, [](const rival& each) { return !each.ready(); });
}

void comparison::run_task(const task& asked, int round) {
  for (rival& each : rivals_) {
    const bool meant = asked.only.empty() || std::ranges::find(asked.only, each.name()) != asked.only.end();
    if (!meant || !each.does(asked.work) || refused_.contains(each.name() + " " + asked.request())) continue;
    const auto began = steady_clock::now();
    measure(each, asked, round);
    seconds_by_work_[asked.work] += seconds_since(began);
    seconds_by_system_[each.name()] += seconds_since(began);
  }
}

void comparison::measure(rival& system, const task& asked, int round) {
  line said = {{"system", system.name()}, {"version", system.version()}, {"work", asked.work}};
  for (const auto& [name, value] : asked.numbers) said[name] = value;
  said["round"] = round;
  said["clock_ns"] = clock_reading_ns();
  line answer;
  try {
    answer = system.ask(asked.request());
    if (answer.contains("error") && system.listed_its_works()) throw child_failed(answer["error"].dump());
  } catch (const child_failed& problem) {
    answer = {{"error", problem.what()}};
    failed(system.name(), fmt::format("{}: {}", asked.request(), problem.what()));
  }
  said.update(answer);
  if (answer.contains("error")) {
    refused_.insert(system.name() + " " + asked.request());
  } else if (const std::string problem = implausible(asked, answer); !problem.empty()) {
    said["error"] = "implausible: " + problem;
    failed(system.name(), fmt::format("{}: {}: {}", asked.request(), problem, answer.dump()));
  }
  write(said);
}

void comparison::failed(const std::string& system, const std::string& why) {
  ++failures_;
  fmt::print(stderr, "bench_peers: {}: {}\n", system, why);
}

void comparison::write(const line& said) { out_ << said.dump() << std::endl; }

void comparison::account() {
  write({{"finished",
          {{"seconds", seconds_since(began_)}, {"by_work", seconds_by_work_}, {"by_system", seconds_by_system_}}}});
}

}  // namespace peers
