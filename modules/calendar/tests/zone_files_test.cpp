// SPDX-License-Identifier: MIT
// Files of time zones, made here byte by byte. zone_files_test.py has those that zic makes.
#include <gtest/gtest.h>
#include <detent/calendar_error.hpp>
#include <detent/time_zone.hpp>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"
#include "support/random_source.hpp"
#include "support/temporary_directory.hpp"

namespace detent::calendar_test {
namespace {

using std::chrono::seconds;

std::string number(std::int64_t value, int bytes) {
  std::string text;
  while (bytes-- > 0) text += static_cast<char>(value >> 8 * bytes & 0xff);
  return text;
}

std::int64_t unix_time(wall_time at) { return std::chrono::floor<seconds>(at).time_since_epoch().count(); }

struct change {
  std::int64_t at;
  unsigned char type;
};

struct zone_file {
  std::vector<std::int32_t> offsets = {0};
  std::vector<change> changes = {};
  std::string footer = {};
  char version = '2';
  std::vector<std::pair<std::int64_t, std::int32_t>> leaps = {};

  std::string header() const {
    std::string text = "TZif" + std::string(1, version) + std::string(15, '\0') + number(0, 4) + number(0, 4);
    for (const std::size_t each : {leaps.size(), changes.size(), offsets.size(), std::size_t{4}}) {
      text += number(static_cast<std::int64_t>(each), 4);
    }
    return text;
  }
  std::string block(int time_size) const {
    std::string text = header();
    for (const change& each : changes) text += number(each.at, time_size);
    for (const change& each : changes) text += static_cast<char>(each.type);
    for (const std::int32_t each : offsets) text += number(each, 4) + std::string(2, '\0');
    text += std::string("ABC\0", 4);
    for (const auto& [at, correction] : leaps) text += number(at, time_size) + number(correction, 4);
    return text;
  }
  std::string bytes() const { return version == '\0' ? block(4) : block(4) + block(8) + "\n" + footer + "\n"; }
};

// The database in which zones are looked for as long as this object lives.
class database {
 public:
  database() { setenv("TZDIR", directory_.path().c_str(), 1); }
  ~database() { before_ ? setenv("TZDIR", before_->c_str(), 1) : unsetenv("TZDIR"); }

  time_zone read(const std::string& bytes) {
    const std::string name = "Test/Z" + std::to_string(++count_);
    directory_.write(name, bytes);
    return time_zone::load(name);
  }
  std::string refusal(const std::string& bytes) {
    try {
      read(bytes);
    } catch (const error& trouble) {
      const std::string what = trouble.what();
      EXPECT_EQ(trouble.code(), calendar_errc::unknown_zone) << what;
      EXPECT_NE(what.find("'Test/Z" + std::to_string(count_) + "'"), std::string::npos) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      return what;
    }
    return "";
  }

 private:
  static std::optional<std::string> variable(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  }

  const std::optional<std::string> before_ = variable("TZDIR");
  const test::temporary_directory directory_;
  static inline int count_ = 0;  // over all tests, because a process reads a name only once
};

std::string host_file(const char* name) {
  std::ifstream file(std::string("/usr/share/zoneinfo/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct rule {
  const char* footer;
  std::int32_t standard;
  wall_time begins, ends;  // of daylight saving time, in the year of `begins`
  std::int32_t daylight;
};
class ZoneFooter : public ::testing::TestWithParam<rule> {};

TEST_P(ZoneFooter, HoldsForEveryYear) {
  const auto& [footer, standard, begins, ends, daylight] = GetParam();
  database zones;
  const time_zone zone = zones.read(zone_file{.offsets = {standard}, .footer = footer}.bytes());
  EXPECT_EQ(zone.offset(begins - seconds(1)), seconds(standard));
  EXPECT_EQ(zone.offset(begins), seconds(daylight));
  EXPECT_EQ(zone.offset(ends - seconds(1)), seconds(daylight));
  EXPECT_EQ(zone.offset(ends), seconds(standard));
}

INSTANTIATE_TEST_SUITE_P(
    Each, ZoneFooter,
    ::testing::Values(rule{"CET-1CEST,M3.5.0,M10.5.0/3", 3600, at(2199, 3, 31, 1), at(2199, 10, 27, 1), 7200},
                      rule{"AEST-10AEDT,M10.1.0,M4.1.0/3", 36000, at(2030, 10, 5, 16), at(2031, 4, 5, 16), 39600},
                      rule{"IST-1GMT0,M10.5.0,M3.5.0/1", 3600, at(2030, 10, 27, 1), at(2031, 3, 30, 1), 0},
                      rule{"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", -7200, at(2030, 3, 31, 1), at(2030, 10, 27, 1), -3600},
                      rule{"EET-2EEST,M3.4.4/50,M10.4.4/50", 7200, at(2030, 3, 30), at(2030, 10, 25, 23), 10800},
                      rule{"<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 37800, at(2030, 10, 5, 15, 30), at(2031, 4, 5, 15),
                           39600},
                      rule{"AST3ADT,J60/0,J300/0", -10800, at(2032, 3, 1, 3), at(2032, 10, 27, 2), -7200},
                      rule{"AST3ADT,59/0,299/0", -10800, at(2032, 2, 29, 3), at(2032, 10, 26, 2), -7200},
                      rule{"AST+3:20:10ADT2:20:10,J1/-167,J10/167:59:59", -12010, at(2029, 12, 25, 4, 20, 10),
                           at(2030, 1, 17, 2, 20, 9), -8410}));

TEST(ZoneFile, DaylightSavingTimeThatLastsAllTheYearHasNoGaps) {
  database zones;
  const time_zone zone = zones.read(zone_file{.footer = "AST3EDT4,0/0,J365/23"}.bytes());
  for (wall_time each = at(2030, 12, 31, 22); each < at(2031, 1, 1, 10); each += minutes(1)) {
    ASSERT_EQ(zone.offset(each), hours(-4)) << (each - at(2031, 1, 1)) / minutes(1);
  }
}

// The file has more detail than the footer before its last change, and nothing after it.
TEST(ZoneFile, TheFooterHoldsAfterTheLastChangeOfTheFile) {
  database zones;
  const std::int64_t from = unix_time(at(2040, 7, 1));
  const time_zone zone = zones.read(
      zone_file{.offsets = {3600, 7200}, .changes = {{from, 1}}, .footer = "CET-1CEST,M3.5.0,M10.5.0/3"}.bytes());
  EXPECT_EQ(zone.offset(at(2039, 7, 1)), hours(1)) << "no daylight saving time yet";
  EXPECT_EQ(zone.offset(at(2040, 7, 1)), hours(2));
  EXPECT_EQ(zone.offset(at(2040, 12, 1)), hours(1));
  EXPECT_EQ(zone.offset(at(2041, 7, 1)), hours(2));
}

TEST(ZoneFile, LeapSecondsAreTakenOut) {
  database zones;
  const std::int64_t change_at = unix_time(at(2030, 7, 1));
  zone_file file{.offsets = {0, 3600}, .changes = {{change_at + 2, 1}}, .footer = "AST-1"};
  file.leaps = {{unix_time(at(2010, 1, 1)), 1}, {unix_time(at(2020, 1, 1)) + 1, 2}};
  const time_zone zone = zones.read(file.bytes());
  EXPECT_EQ(zone.offset(at(2030, 7, 1) - seconds(1)), hours(0));
  EXPECT_EQ(zone.offset(at(2030, 7, 1)), hours(1));
}

TEST(ZoneFile, OneThatEndsBeforeSchedulesDoIsRefusedWithItsEnd) {
  database zones;
  for (const char version : {'\0', '2', '3'}) {
    zone_file file{.offsets = {0, 3600}, .changes = {{unix_time(at(2037, 10, 25, 1)), 1}}, .version = version};
    EXPECT_NE(zones.refusal(file.bytes()).find("tells nothing of the time after 2037-10-25"), std::string::npos);
    file.changes.clear();
    EXPECT_EQ(zones.read(file.bytes()).offset(at(2040, 1, 1)), hours(0)) << "never changed";
  }
}

TEST(ZoneFile, WhatIsNoRuleOfPosixIsRefusedInTheFooter) {
  database zones;
  for (const char* const footer : {"CE-1",
                                   "-1",
                                   "CET",
                                   "CET-",
                                   "CET-24",
                                   "CET-1x",
                                   "CET-1:60",
                                   "CET-1CEST",
                                   "CET-1CEST,",
                                   "CET-1CEST,M3.5.0",
                                   "CET-1CEST,M13.5.0,M10.5.0",
                                   "CET-1CEST,M3.0.0,M10.5.0",
                                   "CET-1CEST,M3.6.0,M10.5.0",
                                   "CET-1CEST,M3.5.7,M10.5.0",
                                   "CET-1CEST,M3.5,M10.5.0",
                                   "CET-1CEST,J0,J365",
                                   "CET-1CEST,J1,J366",
                                   "CET-1CEST,366,1",
                                   "CET-1CEST,1/168,2",
                                   "CET-1CEST,M3.5.0,M10.5.0/3 ",
                                   "<CET-1",
                                   "<+1",
                                   ":Europe/Berlin",
                                   "CET-1CEST,M3.5.0,M10.5.0,M11.1.0"}) {
    const std::string text = zones.refusal(zone_file{.footer = footer}.bytes());
    EXPECT_NE(text.find("is damaged: its footer"), std::string::npos) << footer << ": " << text;
  }
}

TEST(ZoneFile, WhatCannotBeIsRefused) {
  database zones;
  const auto refused = [&](zone_file file) { return zones.refusal(file.bytes()).find("damaged") != std::string::npos; };
  EXPECT_TRUE(refused({.offsets = {}, .footer = "AST0"}));
  EXPECT_TRUE(refused({.offsets = {86'400}, .footer = "AST0"}));
  EXPECT_TRUE(refused({.changes = {{0, 1}}, .footer = "AST0"})) << "no such offset";
  EXPECT_TRUE(refused({.changes = {{1, 0}, {1, 0}}, .footer = "AST0"})) << "not in order";
  EXPECT_NE(zones.refusal(std::string((std::size_t{1} << 18) + 1, 'T')).find("longer than"), std::string::npos);
}

TEST(ZoneFile, CutAnywhereItIsRefused) {
  const std::string whole = host_file("Europe/Lisbon");
  if (whole.empty()) GTEST_SKIP() << "no /usr/share/zoneinfo/Europe/Lisbon";
  database zones;
  for (std::size_t length = 0; length < whole.size(); length += length < 100 ? 1 : 7) {
    ASSERT_NE(zones.refusal(whole.substr(0, length)).find("damaged"), std::string::npos) << length;
  }
  ASSERT_NE(zones.refusal(whole.substr(0, whole.size() - 1)).find("damaged"), std::string::npos);
}

TEST(ZoneFile, WithAnyBytesItIsReadOrRefusedInOneLine) {
  const std::string whole = host_file("Europe/Lisbon");
  if (whole.empty()) GTEST_SKIP() << "no /usr/share/zoneinfo/Europe/Lisbon";
  database zones;
  test::random_source random(test::new_seed());
  for (int count = 0; count < 1000; ++count) {
    std::string bytes = whole;
    for (int changes = random.between(1, 4); changes != 0; --changes) {
      const std::size_t within = random.between(0, 1) == 0 ? 44 : bytes.size();  // the header, or the whole file
      bytes[random.between(std::size_t{0}, within - 1)] = static_cast<char>(random.between(0, 255));
    }
    zones.refusal(bytes);
  }
}

}  // namespace
}  // namespace detent::calendar_test
