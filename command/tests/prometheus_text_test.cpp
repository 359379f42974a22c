// SPDX-License-Identifier: MIT
#include "stat/prometheus_text.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "counters/counters_file.hpp"
#include "support/counters_image.hpp"
#include "support/snapshot.hpp"
#include "support/temporary_directory.hpp"

namespace detent::tool {
namespace {

class prometheus_of_a_file : public testing::Test {
 protected:
  std::string text() { return prometheus_text({counters_file(directory.write("live", image.bytes())).read()}); }
  // Returns the value of the one sample that begins with `begin`.
  static std::string value(const std::string& text, const std::string& begin) {
    const std::size_t at = text.find("\n" + begin);
    if (at == std::string::npos) return "none";
    const std::size_t end = text.find('\n', at + 1);
    const std::size_t space = text.rfind(' ', end);
    return text.substr(space + 1, end - space - 1);
  }
  std::string labels() const { return "engine=\"sample\""; }

  test::temporary_directory directory;
  test::counters_image image;
};
using PrometheusText = prometheus_of_a_file;

TEST_F(PrometheusText, CountersAndGaugesHaveTheirValues) {
  const std::string nothing = text();
  image.set(0, counter::scheduled, 12);
  image.set(0, counter::cancelled, 1);
  image.set(1, counter::cancelled_running, 3);
  image.set(1, counter::missed, 6);
  image.set(1, counter::over_capacity, 3);
  image.set(0, counter::handed_over, 20);
  image.set(1, counter::fired, 12);
  image.set(gauge::let_go, 3);
  image.set(gauge::wakeups, 8);
  image.set(gauge::margin, 61'000);
  const std::uint32_t label = image.add_label("retry");
  image.set(label, label_counter::fired, 9);
  image.set(label, label_counter::begun, 9);
  image.set(label, label_counter::missed, 7);
  image.record(label, cause::lateness, 3'000, 4);
  image.record(label, cause::callback, 90, 9);
  std::string counted;
  std::istringstream lines(test::changed_lines(nothing, text()));
  for (std::string line; std::getline(lines, line);)
    if (!line.ends_with(" 0")) counted += line + "\n";
  test::snapshot("command/tests/snapshots/prometheus.txt").add("beside an engine that has counted nothing", counted);
}

TEST_F(PrometheusText, AStallHasItsReasonForALabel) {
  EXPECT_EQ(value(text(), "detent_stalled{" + labels() + ",reason=\"none\"}"), "0");
  image.set_stall("clock_off: 10 stored timers wait", 10);
  EXPECT_EQ(value(text(), "detent_stalled{" + labels() + ",reason=\"clock_off\"}"), "1");
  EXPECT_EQ(value(text(), "detent_stalled_work{" + labels() + "}"), "10");
}

// One of several engines whose files are in one directory.
class engines_of_one_name : public prometheus_of_a_file {
 protected:
  counters_snapshot engine(const std::string& file, const std::string& instance, std::uint64_t fired) {
    test::counters_image made;
    counters_layout::header header = made.header();
    instance.copy(header.instance, sizeof header.instance - 1);
    made.put(header);
    made.set(0, counter::fired, fired);
    return counters_file(directory.write(file, made.bytes())).read();
  }
  std::string with_file(const std::string& file) const {
    return labels() + ",counters_file=\"" + directory.path() + "/" + file + "\"";
  }
  std::string fired(const std::string& text, const std::string& labels) const {
    return value(text, "detent_callbacks_fired_total{" + labels + "}");
  }

  series_names names;
};
using SeriesNames = engines_of_one_name;

TEST_F(SeriesNames, AnInstanceKeepsTheSeriesOfEnginesApartInAnyOrder) {
  const counters_snapshot a = engine("a", "a", 2'700), b = engine("b", "b", 22);
  for (const std::string& text : {prometheus_text({a, b}, names), prometheus_text({b, a}, names)}) {
    EXPECT_EQ(fired(text, labels() + ",engine_instance=\"a\""), "2700");
    EXPECT_EQ(fired(text, labels() + ",engine_instance=\"b\""), "22");
    EXPECT_TRUE(names.complaints().empty());
    EXPECT_EQ(text.find("# NOTE"), std::string::npos);
  }
}

TEST_F(SeriesNames, WithoutOneEachOfThemHasItsFile) {
  const counters_snapshot first = engine("first", "", 2'700), second = engine("second", "", 22);
  const counters_snapshot again = engine("again", "", 38);
  const std::string before = prometheus_text({first, second}, names);
  EXPECT_EQ(fired(before, labels()), "none");
  EXPECT_EQ(fired(before, with_file("first")), "2700");
  EXPECT_EQ(fired(before, with_file("second")), "22");
  const std::string after = prometheus_text({second, again}, names);
  EXPECT_EQ(fired(after, with_file("second")), "22");
  EXPECT_EQ(fired(after, with_file("again")), "38");
}

TEST_F(SeriesNames, WhatWasSharedOnceIsNotGivenToTheOneThatIsLeft) {
  prometheus_text({engine("first", "", 2'700), engine("second", "", 22)}, names);
  const std::string alone = prometheus_text({engine("second", "", 23)}, names);
  EXPECT_EQ(fired(alone, labels()), "none");
  EXPECT_EQ(fired(alone, with_file("second")), "23");
  EXPECT_TRUE(names.complaints().empty());
}

TEST_F(SeriesNames, ASharedOneIsSaidOnceInThePageAndToTheCaller) {
  for (const std::string instance : {"", "a"}) {
    const std::string text =
        prometheus_text({engine("1", instance, 1), engine("2", instance, 2), engine("3", instance, 3)}, names);
    ASSERT_EQ(names.complaints().size(), 1U);
    EXPECT_TRUE(names.complaints()[0].starts_with("3 engines have the name 'sample' and " +
                                                  (instance.empty() ? std::string("no instance") : "the instance 'a'")))
        << names.complaints()[0];
    EXPECT_EQ(text.find("# NOTE 3 engines"), 0U);
    EXPECT_EQ(text.find("# NOTE", 1), std::string::npos);
  }
}

}  // namespace
}  // namespace detent::tool
