// SPDX-License-Identifier: MIT
#include "machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

#include "build_facts.hpp"

namespace peers {
namespace {

std::string processor() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  }
  return "unknown";
}

}  // namespace

nlohmann::ordered_json machine() {
  utsname host{};
  uname(&host);
  double load = 0;
  getloadavg(&load, 1);
  return {{"cpu", processor()},
          {"cores", std::thread::hardware_concurrency()},
          {"kernel", fmt::format("{} {} {}", host.sysname, host.release, host.machine)},
          {"load", load},
          {"compiler", build_compiler},
          {"flags", build_flags},
          {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
}

double clock_reading_ns() {
  constexpr int runs = 5, readings = 10'000;
  double least = 1e9;
  for (int run = 0; run < runs; ++run) {
    const auto began = std::chrono::steady_clock::now();
    auto now = began;
    for (int i = 0; i < readings; ++i) now = std::chrono::steady_clock::now();
    least = std::min(least, std::chrono::duration<double, std::nano>(now - began).count() / readings);
  }
  return least;
}

}  // namespace peers
