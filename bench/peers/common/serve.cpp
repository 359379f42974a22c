// SPDX-License-Identifier: MIT
// The native programs' side of the line protocol.
#include <algorithm>
#include <cstdio>
#include <iostream>

#include "../system.hpp"
#include "process_readings.hpp"

namespace peers {
namespace {

void say(const answer& line) { std::cout << line.dump() << std::endl; }

answer respond(const system& served, const std::string& line) {
  try {
    const request wanted(line);
    const auto found = served.works.find(wanted.work());
    if (found == served.works.end()) return {{"error", served.name + " does not do '" + wanted.work() + "'"}};
    return found->second(wanted);
  } catch (const std::exception& problem) {
    return {{"error", problem.what()}};
  }
}

answer introduction(const system& served) {
  answer works = answer::array();
  for (const auto& [name, run] : served.works) works.push_back(name);
  return {{"ready", true}, {"system", served.name}, {"version", served.version}, {"how", served.how}, {"works", works}};
}

}  // namespace

int serve(std::span<char*> arguments, const std::vector<variant>& variants) {
  const std::string wanted = arguments.size() > 1 ? arguments[1] : variants.front().name;
  const auto found = std::ranges::find(variants, wanted, &variant::name);
  if (found == variants.end() || arguments.size() > 2) {
    std::string names;
    for (const variant& each : variants) names += " " + each.name;
    std::fprintf(stderr, "%s: takes one name of:%s\n", arguments[0], names.c_str());
    return 2;
  }
  ask_for_fine_wakeups();
  try {
    const system served = found->make();
    say(introduction(served));
    for (std::string line; std::getline(std::cin, line) && line != "quit";) say(respond(served, line));
  } catch (const unavailable& problem) {
    say({{"system", wanted}, {"skipped", problem.what()}});
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", arguments[0], problem.what());
    return 1;
  }
  return 0;
}

}  // namespace peers
