// SPDX-License-Identifier: MIT
// bench_peers: the same works on detent and its rivals, alternating, as JSON lines. README.md has their meaning.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "build_facts.hpp"
#include "comparison.hpp"

namespace {

using namespace peers;

struct options {
  std::vector<std::string> systems, works;
  int rounds = 5;
  std::uint64_t timers = 0;  // for fire; 0 for the planned number
  bool quick = false, smoke = false, list = false;
  std::string output;
  std::filesystem::path children = children_directory;
};

void describe(CLI::App& app, options& to) {
  app.add_option("--systems", to.systems, "Only these, separated by commas")->delimiter(',');
  app.add_option("--works", to.works, "Only these, separated by commas: floors, pair, pair_at, fire, lateness, memory")
      ->delimiter(',')
      ->check(CLI::IsMember(works()));
  app.add_option("--rounds", to.rounds,
                 "How often each system does each work; fire and lateness at most 3 times, memory once")
      ->check(CLI::Range(1, most_rounds));
  app.add_option("--timers", to.timers, "How many timers fire schedules")->check(CLI::Range(1, 100'000'000));
  const auto quick = app.add_flag("--quick", to.quick, "One small round");
  app.add_flag("--smoke", to.smoke, "One tiny round, to see that everything works")->excludes(quick);
  app.add_flag("--list", to.list, "Name the systems and end");
  app.add_option("--output", to.output, "Write the JSON lines there (default: stdout)");
  app.add_option("--children", to.children, "The directory of children.txt, the systems in other languages")
      ->check(CLI::ExistingDirectory);
}

std::vector<rival> all_rivals(const options& wanted) {
  std::vector<rival> all = read_rivals(native_systems, rival::lifetime::each_request);
  const std::filesystem::path list = wanted.children / "children.txt";
  if (wanted.children != children_directory || std::filesystem::exists(list)) {
    std::ranges::move(read_rivals(list, rival::lifetime::whole_run), std::back_inserter(all));
  }
  return all;
}

std::vector<rival> wanted_rivals(const options& wanted) {
  std::vector<rival> all = all_rivals(wanted);
  if (wanted.systems.empty()) return all;
  for (const std::string& name : wanted.systems) {
    if (std::ranges::find(all, name, &rival::name) == all.end()) {
      throw std::runtime_error(fmt::format("no system '{}'; --list names them", name));
    }
  }
  std::erase_if(all, [&](const rival& each) { return std::ranges::count(wanted.systems, each.name()) == 0; });
  return all;
}

std::vector<task> wanted_tasks(const options& wanted) {
  std::vector<task> tasks = plan(wanted.smoke ? plan_size::smoke : wanted.quick ? plan_size::quick : plan_size::full);
  if (!wanted.works.empty()) {
    std::erase_if(tasks, [&](const task& each) { return std::ranges::count(wanted.works, each.work) == 0; });
  }
  for (task& each : tasks) {
    if (each.work != "fire" || wanted.timers == 0) continue;
    std::ranges::find(each.numbers, "timers", &std::pair<std::string, std::uint64_t>::first)->second = wanted.timers;
  }
  return tasks;
}

int run(const options& wanted) {
  std::vector<rival> rivals = wanted_rivals(wanted);
  if (wanted.list) {
    for (const rival& each : rivals) {
      fmt::print("{}{}\n", each.name(), each.skipped().empty() ? "" : " (skipped: " + each.skipped() + ")");
    }
    return 0;
  }
  std::ofstream file;
  if (!wanted.output.empty()) {
    file.open(wanted.output);
    if (!file) throw std::runtime_error(fmt::format("--output {}: cannot be written", wanted.output));
  }
  std::ostream& out = wanted.output.empty() ? std::cout : file;
  comparison compared(std::move(rivals), wanted_tasks(wanted), out);
  compared.run(wanted.quick || wanted.smoke ? 1 : wanted.rounds);
  if (!out) throw std::runtime_error("not all could be written");
  return compared.failures() == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);  // the result of a write shows whether the child has ended
  CLI::App app("The same works on detent and its rivals, side by side. Prints a JSON line for each measurement.");
  options wanted;
  describe(app, wanted);
  CLI11_PARSE(app, count, words);
  try {
    return run(wanted);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "bench_peers: {}\n", problem.what());
    return 1;
  }
}
