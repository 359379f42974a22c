// SPDX-License-Identifier: MIT
// For zone_files_test.py: reads names of zones, one a line, and prints of each its offset at the beginning of 2020 and
// each change of it up to the end of 2099, as `SECONDS:OFFSET` after the name; or `refused` and the message.
#include <detent/calendar_error.hpp>
#include <detent/time_zone.hpp>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>

namespace {

using detent::time_zone;
using std::chrono::sys_seconds;

long long number(sys_seconds at) { return at.time_since_epoch().count(); }

// Finds the change between two times with different offsets.
sys_seconds change_between(const time_zone& zone, sys_seconds before, sys_seconds after) {
  while (after - before > std::chrono::seconds(1)) {
    const sys_seconds middle = before + (after - before) / 2;
    (zone.offset(middle) == zone.offset(before) ? before : after) = middle;
  }
  return after;
}

void print_changes(const time_zone& zone) {
  const sys_seconds begin = std::chrono::sys_days(std::chrono::year(2020) / 1 / 1);
  const sys_seconds end = std::chrono::sys_days(std::chrono::year(2100) / 1 / 1);
  std::printf(" %lld:%lld", number(begin), static_cast<long long>(zone.offset(begin).count()));
  constexpr std::chrono::hours step(24);  // no zone changes twice in a day
  for (sys_seconds at = begin; at < end; at += step) {
    if (zone.offset(at) == zone.offset(at + step)) continue;
    const sys_seconds change = change_between(zone, at, at + step);
    if (change < end) std::printf(" %lld:%lld", number(change), static_cast<long long>(zone.offset(change).count()));
  }
}

}  // namespace

int main() {
  for (std::string name; std::getline(std::cin, name);) {
    std::printf("%s", name.c_str());
    try {
      print_changes(time_zone::load(name));
    } catch (const detent::error& refusal) {
      std::printf(" refused %s", refusal.what());
    }
    std::printf("\n");
  }
  return 0;
}
