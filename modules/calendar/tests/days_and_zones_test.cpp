// SPDX-License-Identifier: MIT
// Files of holidays, and zones of the host.
#include <gtest/gtest.h>
#include <detent/calendar_error.hpp>
#include <detent/day_set.hpp>
#include <detent/schedule.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support.hpp"
#include "support/temporary_directory.hpp"

namespace detent::calendar_test {
namespace {

// Returns the text of the error that the call throws, if it has that code.
template <class Call>
std::string refusal(calendar_errc code, Call call) {
  try {
    call();
  } catch (const error& trouble) {
    EXPECT_EQ(trouble.code(), code) << trouble.what();
    return trouble.what();
  }
  ADD_FAILURE() << "nothing is thrown";
  return "";
}

TEST(DaySet, AFileListsHolidaysAndTheLastDayThatItKnows) {
  const test::temporary_directory directory;
  const auto days = day_set::from_file(directory.write(
      "nyse",
      "\xef\xbb\xbf# New York\r\n2024-07-04  # Independence Day\r\n\r\n  2024-12-25\r\nuntil\t2024-12-31 # renew\r\n"));
  EXPECT_FALSE(days.contains(year(2024) / 7 / 4));
  EXPECT_FALSE(days.contains(year(2024) / 12 / 25));
  EXPECT_TRUE(days.contains(year(2024) / 7 / 6)) << "a Saturday is no holiday";
  EXPECT_TRUE(days.contains(year(2024) / 12 / 31));
  EXPECT_EQ(days.last_known(), year(2024) / 12 / 31);
  refusal(calendar_errc::days_exhausted, [&] { days.contains(year(2025) / 1 / 1); });
  EXPECT_FALSE((days & day_set::weekdays()).contains(year(2024) / 7 / 6));
  refusal(calendar_errc::days_exhausted, [&] { (day_set::weekdays() & days).contains(year(2025) / 1 / 1); });
}

TEST(DaySet, ABadFileIsNamedWithItsLine) {
  const auto what = [](std::string_view text) {
    return refusal(calendar_errc::invalid_days, [text] { day_set::from_text(text, "nyse.days"); });
  };
  const std::string end = "\nuntil 2024-12-31\n";
  EXPECT_NE(what("2024-07-04\n").find("until YYYY-MM-DD"), std::string::npos);
  EXPECT_NE(what("").find("nyse.days"), std::string::npos);
  for (const char* const line :
       {"2024-02-30", "2024-7-4", "04.07.2024", "2024-07-04 2024-12-25", "Christmas", "2024-07-04 Independence Day",
        "1969-12-31", "until", "until 2023-02-29", "until2024-12-31"}) {
    const std::string text = what("# New York\n\n" + std::string(line) + end);
    EXPECT_NE(text.find("'nyse.days', line 3: '" + std::string(line) + "'"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
  EXPECT_NE(what("until 2024-12-31" + end).find("line 2: 'until"), std::string::npos);
  EXPECT_NE(what("\x1b[2J" + end).find("line 1: '\\x1b[2J'"), std::string::npos);
  refusal(calendar_errc::invalid_days, [] { day_set::from_file("/nonexistent/nyse.days"); });
  refusal(calendar_errc::invalid_days, [] { day_set::from_file("/"); });
}

TEST(TimeZone, WhatIsNoNameOfTheDatabaseIsRefused) {
  for (const char* const name :
       {"", "Foo/Bar", "Europe", "../../etc/passwd", "/etc/localtime", "./Europe/Berlin", "Europe//Berlin",
        "Europe/Berlin/", "file:Europe/Berlin", "zone1970.tab", "EST5EDT,M3.2.0", "right/Europe/Berlin"}) {
    const std::string text = refusal(calendar_errc::unknown_zone, [name] { time_zone::load(name); });
    EXPECT_NE(text.find("'" + std::string(name) + "'"), std::string::npos) << text;
  }
  EXPECT_EQ(time_zone::load("UTC"), time_zone());
  EXPECT_EQ(time_zone::load("Europe/Berlin"), time_zone::load("Europe/Berlin"));
}

TEST(TimeZone, AZoneWhoseFileComesLaterIsThereThen) {
  const test::temporary_directory database;
  const char* const before = std::getenv("TZDIR");
  setenv("TZDIR", database.path().c_str(), 1);
  refusal(calendar_errc::unknown_zone, [] { time_zone::load("Later/Tokyo"); });
  std::filesystem::create_directory(database.path() + "/Later");
  const std::string text = [&] {
    std::ofstream(database.path() + "/Later/Tokyo") << "no rules";
    return refusal(calendar_errc::unknown_zone, [] { time_zone::load("Later/Tokyo"); });
  }();
  EXPECT_NE(text.find("damaged"), std::string::npos) << text;
  std::filesystem::copy_file("/usr/share/zoneinfo/Asia/Tokyo", database.path() + "/Later/Tokyo",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(time_zone::load("Later/Tokyo").offset(at(2024, 1, 2)), hours(9));
  before != nullptr ? setenv("TZDIR", before, 1) : unsetenv("TZDIR");
}

TEST(TimeZone, AReloadedZoneHasTheFileAsItIsNow) {
  const test::temporary_directory database;
  const auto put = [&](const char* zone) {
    std::filesystem::copy_file(std::string("/usr/share/zoneinfo/") + zone, database.path() + "/Test",
                               std::filesystem::copy_options::overwrite_existing);
  };
  ::setenv("TZDIR", database.path().c_str(), 1);
  put("Europe/Berlin");
  const time_zone old = time_zone::load("Test");
  const auto noon = schedule::daily(hours(12), {.zone = old});
  put("Asia/Tokyo");
  EXPECT_EQ(time_zone::load("Test"), old);
  EXPECT_EQ(noon.next(at(2024, 1, 1)), at(2024, 1, 1, 11));
  const time_zone reread = old.reloaded();
  EXPECT_EQ(reread.name(), "Test");
  EXPECT_EQ(noon.in_zone(reread).next(at(2024, 1, 1)), at(2024, 1, 1, 3));
  EXPECT_EQ(noon.next(at(2024, 1, 1)), at(2024, 1, 1, 11)) << "a schedule is a value";
  EXPECT_EQ(time_zone::load("Test"), reread);
  put("Europe/London");
  EXPECT_EQ(noon.in_zone(reread.reloaded()).next(at(2024, 1, 1)), at(2024, 1, 1, 12)) << "and again";
  std::filesystem::remove(database.path() + "/Test");
  refusal(calendar_errc::unknown_zone, [&] { static_cast<void>(reread.reloaded()); });
  ::unsetenv("TZDIR");
}

}  // namespace
}  // namespace detent::calendar_test
