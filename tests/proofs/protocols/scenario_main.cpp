// SPDX-License-Identifier: MIT
// Runs the scenarios of a suite, each as a test of its own.
//
//   --schedule=TEXT    only that schedule, as a failure printed it; with --gtest_filter for the scenario it belongs to
//   --preemptions=N    another bound than the scenarios' own
//   --mutant           the headers are mutated: succeeds if a scenario fails
//   --weaken=SITE:TO   a mutant whose operation at SITE, as --sites prints it, has the order TO; without --mutant too
//   --sites            with --mutant: prints where the scenarios passed an operation with an order
//   --executions=N     at most N of each scenario: a look, and no proof where a scenario has more
#include "scenario.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace model {
namespace {

struct named_scenario {
  std::string suite;
  scenario what;
};

struct settings {
  std::string schedule;
  std::optional<unsigned> preemptions;
  std::uint64_t executions = std::numeric_limits<std::uint64_t>::max();
  bool mutant = false;
  const char* program = "";
};

std::deque<named_scenario>& all_scenarios() {
  static std::deque<named_scenario> every;
  return every;
}

settings& chosen() {
  static settings the_ones;
  return the_ones;
}

verdict run(const named_scenario& which, std::uint64_t most_executions = std::numeric_limits<std::uint64_t>::max()) {
  bounds limits = which.what.limits;
  limits.preemptions = chosen().preemptions.value_or(limits.preemptions);
  limits.executions = std::min(limits.executions, most_executions);
  body what = [&](execution& run) { which.what.what(run); };
  return chosen().schedule.empty() ? explore(limits, what) : replay(limits, what, chosen().schedule);
}

class scenario_run : public testing::Test {
 public:
  explicit scenario_run(const named_scenario& which) : which_(which) {}
  void TestBody() override {
    verdict found = run(which_, chosen().executions);
    std::cout << report(found) << '\n';
    EXPECT_EQ(found.complaint, "") << "again: " << chosen().program << " --gtest_filter=" << which_.suite << '.'
                                   << which_.what.name << " --schedule=" << found.schedule;
    if (!chosen().schedule.empty() || !found.complaint.empty()) return;
    if (found.executions == chosen().executions) return;
    EXPECT_TRUE(found.complete) << "the bound on executions came first";
    for (const char* mark : which_.what.marks) {
      EXPECT_NE(std::find(found.marks.begin(), found.marks.end(), mark), found.marks.end()) << "never: " << mark;
    }
  }

 private:
  const named_scenario& which_;
};

// A little of each scenario, then ten times as much: what one finds soon need not wait for all that another has to see.
int run_mutant() {
  bool more = true;
  for (std::uint64_t most = 1000; more; most *= 10) {
    more = false;
    for (const named_scenario& each : all_scenarios()) {
      verdict found = run(each, std::min(most, chosen().executions));
      if (!found.complaint.empty()) {
        std::cout << each.suite << '.' << each.what.name << " after " << found.executions
                  << " executions: " << found.complaint << '\n';
        return EXIT_SUCCESS;
      }
      more |= !found.complete && most < std::min(each.what.limits.executions, chosen().executions);
    }
  }
  for (const std::string& site : machine::instance().orders().passed()) std::cout << site << '\n';
  std::cerr << "the mutant survives every scenario\n";
  return EXIT_FAILURE;
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Empty, or what is wrong with the argument.
std::string take_argument(std::string_view argument) {
  constexpr std::string_view schedule = "--schedule=", preemptions = "--preemptions=", executions = "--executions=",
                             weaken = "--weaken=";
  if (argument == "--mutant") {
    chosen().mutant = true;
  } else if (argument == "--sites") {
    machine::instance().orders().watch();
  } else if (argument.starts_with(weaken)) {
    if (!machine::instance().orders().parse(argument.substr(weaken.size()))) return "not a weaker order";
  } else if (argument.starts_with(schedule)) {
    chosen().schedule = argument.substr(schedule.size());
    if (!choices::parse(chosen().schedule)) return "not a schedule";
  } else if (argument.starts_with(preemptions)) {
    chosen().preemptions = number_of<unsigned>(argument.substr(preemptions.size()));
    if (!chosen().preemptions) return "not a number";
  } else if (argument.starts_with(executions)) {
    auto most = number_of<std::uint64_t>(argument.substr(executions.size()));
    if (!most) return "not a number";
    chosen().executions = *most;
  } else {
    return "no such option";
  }
  return {};
}

}  // namespace

suite::suite(const char* name, std::initializer_list<scenario> scenarios) {
  for (const scenario& each : scenarios) all_scenarios().push_back({name, each});
}

}  // namespace model

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  model::chosen().program = argv[0];
  for (int i = 1; i < argc; ++i) {
    std::string problem = model::take_argument(argv[i]);
    if (problem.empty()) continue;
    std::cerr << argv[0] << ": " << argv[i] << ": " << problem << '\n';
    return EXIT_FAILURE;
  }
  if (model::chosen().mutant) return model::run_mutant();
  for (const model::named_scenario& each : model::all_scenarios()) {
    testing::RegisterTest(each.suite.c_str(), each.what.name, nullptr, nullptr, __FILE__, __LINE__,
                          [&each]() -> testing::Test* { return new model::scenario_run(each); });
  }
  return RUN_ALL_TESTS();
}
