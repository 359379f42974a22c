// SPDX-License-Identifier: MIT
// A year of an exchange in virtual time, then one of its days with the clock set under it. Exit status 0: all promises
// were kept; 1: one was not, or a file or a zone cannot be read.
#include "stepped_day.hpp"
#include "trading_days.hpp"
#include "year.hpp"

#include <detent/error.hpp>
#include <detent/time_zone.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

int main(int count, char** arguments) {
  CLI::App options("Trading days of an exchange: pre-open, open, last call and close by its wall clock.");
  std::string holidays, half, zone_name = "America/New_York";
  int year = 2024;
  options.add_option("--days", holidays, "file of holidays: YYYY-MM-DD a line, and `until YYYY-MM-DD`")->required();
  options.add_option("--half", half, "file of days that end at 13:00, in the same form");
  options.add_option("--year", year, "the year to replay")->capture_default_str()->check(CLI::Range(1971, 2198));
  options.add_option("--zone", zone_name, "the time zone of the exchange")->capture_default_str();
  CLI11_PARSE(options, count, arguments);
  try {
    const auto zone = detent::time_zone::load(zone_name);
    const auto days = session::trading_days::of(std::chrono::year(year), holidays, half);
    const bool year_kept = session::replay_year(std::chrono::year(year), days, zone);
    fmt::print("\n");
    const bool day_kept = session::replay_stepped_day(std::chrono::year(year), days, zone);
    return year_kept && day_kept ? 0 : 1;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "session: {}\n", problem.what());
    return 1;
  }
}
