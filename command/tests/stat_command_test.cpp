// SPDX-License-Identifier: MIT
#include "stat/stat_command.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "counters/counters_file.hpp"
#include "support/counters_image.hpp"
#include "support/ordinary_user.hpp"
#include "support/snapshot.hpp"
#include "support/temporary_directory.hpp"

namespace detent::tool {
namespace {

using counters_layout::cause;
using counters_layout::counter;
using counters_layout::gauge;
using counters_layout::label_counter;

class stat_in_a_directory : public testing::Test {
 protected:
  // Writes a file with the name that an engine of this process would use.
  std::string write(int number, test::counters_image& content) const {
    return directory.write("detent." + std::to_string(::getpid()) + "." + std::to_string(number), content.bytes());
  }
  stat_result take(const std::vector<std::string>& targets, stat_form form = stat_form::json) const {
    return take_stat(targets, form, directory.path());
  }
  static nlohmann::json json_of(const stat_result& result) { return nlohmann::json::parse(result.text); }

  test::temporary_directory directory;
  test::counters_image image;
};
using StatCommand = stat_in_a_directory;

TEST_F(StatCommand, JsonSaysAllThereIs) {
  image.set(0, counter::scheduled, 12);
  image.set(1, counter::cancelled, 2);
  image.set(1, counter::cancelled_running, 3);
  image.set(1, counter::missed, 6);
  image.set(0, counter::handed_over, 20);
  image.set(1, counter::fired, 12);
  image.set(gauge::let_go, 3);
  image.set(gauge::margin, 61'000);
  image.set(gauge::wakeups, 8);
  image.set(gauge::next_deadline, 5);
  image.record(cause::lateness, 1'000, 100);
  image.record(cause::wait, 1'000, 1);
  const std::uint32_t label = image.add_label("re\"try\n");
  image.set(label, label_counter::begun, 4);
  image.set(label, label_counter::fired, 9);
  image.set(label, label_counter::missed, 7);
  const std::string path = write(1, image);
  const stat_result result = take({path});
  EXPECT_FALSE(result.failed);
  EXPECT_TRUE(result.complaints.empty());
  auto engine = json_of(result)["engines"][0];
  EXPECT_EQ(engine["file"], path);
  EXPECT_EQ(engine["process"], ::getpid());
  for (const char* of_this_run : {"file", "process", "read_at_ns"}) engine.erase(of_this_run);
  std::string text;
  for (const auto& [key, value] : engine.items()) text += key + " " + value.dump() + "\n";
  test::snapshot("command/tests/snapshots/stat_json.txt").add("one engine", text);
}

TEST_F(StatCommand, NothingPendingHasNoNextDeadline) {
  image.set(gauge::next_deadline, std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(json_of(take({write(1, image)}))["engines"][0]["next_deadline_ns"].is_null());
}

TEST_F(StatCommand, WithoutTargetsEveryEngineOfTheHostIsShown) {
  for (const int number : {2, 1, 10}) write(number, image);
  const auto engines = json_of(take({}))["engines"];
  ASSERT_EQ(engines.size(), 3U);
  EXPECT_TRUE(engines[0]["file"].get<std::string>().ends_with(".1"));
  EXPECT_TRUE(engines[2]["file"].get<std::string>().ends_with(".10"));
}

TEST_F(StatCommand, WithoutTargetsAStaleFileIsNamedAndTheRestIsShown) {
  write(1, image);
  directory.write("detent.7.7", "rubbish");
  const stat_result result = take({});
  EXPECT_EQ(json_of(result)["engines"].size(), 1U);
  ASSERT_EQ(result.complaints.size(), 1U);
  EXPECT_NE(result.complaints[0].find("detent.7.7"), std::string::npos);
  EXPECT_FALSE(result.failed);
}

TEST_F(StatCommand, AHostWhoseFilesMayNotBeListedIsNotOneWithoutEngines) {
  write(1, image);
  std::filesystem::permissions(directory.path(), std::filesystem::perms::none);
  for (const stat_form form : {stat_form::text, stat_form::json, stat_form::prometheus}) {
    const test::ordinary_user restricted;
    const stat_result result = take({}, form);
    EXPECT_TRUE(result.failed);
    EXPECT_EQ(result.text, "");
    ASSERT_EQ(result.complaints.size(), 1U);
    EXPECT_EQ(result.complaints[0], directory.path() + ": cannot be listed: Permission denied");
  }
  std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_all);
}

TEST_F(StatCommand, AFileThatMayNotBeReadIsAnErrorIfItIsAllThereIs) {
  std::filesystem::permissions(directory.path(), std::filesystem::perms::all);
  std::filesystem::permissions(write(1, image), std::filesystem::perms::none);
  {
    const test::ordinary_user restricted;
    const stat_result result = take({}, stat_form::text);
    EXPECT_TRUE(result.failed);
    EXPECT_EQ(result.text, "");
    ASSERT_EQ(result.complaints.size(), 1U);
    EXPECT_NE(result.complaints[0].find("Permission denied"), std::string::npos);
  }
  write(2, image);
  const test::ordinary_user restricted;
  const stat_result result = take({}, stat_form::text);
  EXPECT_FALSE(result.failed);
  EXPECT_EQ(result.complaints.size(), 1U);
  EXPECT_NE(result.text.find("sample"), std::string::npos);
}

TEST_F(StatCommand, OfVeryManyFilesTheLastAreLeftOutAndCounted) {
  write(1, image);  // a process id lower than the others'
  for (int number = 0; number < 1'100; ++number) directory.write("detent.999999999." + std::to_string(number), "");
  const stat_result result = take({});
  EXPECT_EQ(json_of(result)["engines"].size(), 1U);
  ASSERT_EQ(result.complaints.size(), 1'024U);
  EXPECT_EQ(result.complaints.back(), "77 files are left out: there are too many");
  EXPECT_FALSE(result.failed);
}

TEST_F(StatCommand, OfVeryManyLabelsTheLastAreLeftOutAndCounted) {
  for (int i = 0; i < 5; ++i) image.add_label("label " + std::to_string(i));
  write(1, image);
  const stat_reading some = read_stat({}, directory.path(), {.labels = 1});
  ASSERT_EQ(some.engines.size(), 1U);
  EXPECT_EQ(some.complaints, std::vector<std::string>{"4 labels are left out: there are too many"});
  EXPECT_TRUE(take({}).complaints.empty());
}

TEST_F(StatCommand, TheLastErrorIsShownOnceItIsWhole) {
  EXPECT_EQ(take({write(1, image)}, stat_form::text).text.find("last error"), std::string::npos);
  image.set_last_error("no route\n\x1b[2J");
  const std::string path = write(1, image);
  EXPECT_NE(take({path}, stat_form::text).text.find("last error  no route\\x0a\\x1b[2J (a callback, "),
            std::string::npos);
  EXPECT_EQ(json_of(take({path}))["engines"][0]["last_error"]["text"], "no route\\x0a\\x1b[2J");
  image.set_last_error("half of it", 3);
  EXPECT_FALSE(json_of(take({write(1, image)}))["engines"][0].contains("last_error"));
  image.set_last_error("of no such field", 2);
  counters_layout::header old = image.header();
  old.header_bytes = counters_layout::least_header_bytes;
  image.put(old);
  EXPECT_FALSE(json_of(take({write(1, image)}))["engines"][0].contains("last_error"));
}

TEST_F(StatCommand, AStallIsShownWhileItIsThere) {
  const auto text = [this] { return take({write(1, image)}, stat_form::text).text; };
  const auto json = [this] { return json_of(take({write(1, image)}))["engines"][0]; };
  EXPECT_EQ(text().find("waits  "), std::string::npos);
  image.set_stall("clock_off: 10 stored timers\x1b[2J wait", 10);
  EXPECT_NE(text().find("waits    clock_off: 10 stored timers\\x1b[2J wait"), std::string::npos) << text();
  EXPECT_EQ(json()["stall"]["text"], "clock_off: 10 stored timers\\x1b[2J wait");
  EXPECT_EQ(json()["stall"]["waiting"], 10);
  image.set_stall("", 0);
  EXPECT_FALSE(json().contains("stall"));
  image.set_stall("of no such field", 1);
  counters_layout::header old = image.header();
  old.header_bytes = offsetof(counters_layout::header, stall_sequence);
  image.put(old);
  EXPECT_FALSE(json().contains("stall"));
}

// A damaged file may contain any number.
TEST_F(StatCommand, TheLastErrorMayBeOfAnyTime) {
  image.set_last_error("no route");
  const auto ago_of = [this](std::int64_t at) {
    counters_layout::header changed = image.header();
    changed.error_at = at;
    image.put(changed);
    const std::string text = take({write(1, image)}, stat_form::text).text;
    const std::size_t from = text.find("(a callback, ");
    return text.substr(from, text.find('\n', from) - from);
  };
  EXPECT_EQ(ago_of((std::numeric_limits<std::int64_t>::max)()), "(a callback, 0 ns ago)");
  EXPECT_NE(ago_of((std::numeric_limits<std::int64_t>::min)()), "(a callback, 0 ns ago)");
}

TEST_F(StatCommand, AHostWithoutEnginesIsNoFailure) {
  EXPECT_TRUE(json_of(take({}))["engines"].empty());
  EXPECT_EQ(take({}, stat_form::prometheus).text, "");
  EXPECT_NE(take({}, stat_form::text).text.find("No engine"), std::string::npos);
  EXPECT_FALSE(take({}, stat_form::text).failed);
}

TEST_F(StatCommand, TheTextsColumnsLineUpWhateverBytesANameHas) {
  image.add_label("Größe");
  image.add_label("a much longer name");
  const std::string text = take({write(1, image)}, stat_form::text).text;
  const auto width = [&text](const char* name) { return text.find('\n', text.find(name)) - text.find(name); };
  EXPECT_EQ(width("Größe"), width("a much longer name") + 2) << text;  // two of its letters have two bytes
}

}  // namespace
}  // namespace detent::tool
