// SPDX-License-Identifier: MIT
#include "stat/prometheus_text.hpp"

#include <gtest/gtest.h>

#include "counters/counters_file.hpp"
#include "support/counters_image.hpp"
#include "support/temporary_directory.hpp"

namespace detent::tool {
namespace {

class prometheus_of_a_file : public testing::Test {
 protected:
  std::string text() { return prometheus_text({counters_file(directory.write("live", image.bytes())).read()}); }
  // The value of the one sample that begins so.
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
  image.set(0, counter::scheduled, 12);
  image.set(0, counter::cancelled, 1);
  image.set(1, counter::cancelled_running, 3);
  image.set(1, counter::missed, 6);
  image.set(0, counter::handed_over, 20);
  image.set(1, counter::fired, 12);
  image.set(gauge::let_go, 3);
  image.set(gauge::wakeups, 8);
  image.set(gauge::margin, 61'000);
  const std::uint32_t label = image.add_label("retry");
  image.set(label, label_counter::fired, 9);
  image.set(label, label_counter::begun, 9);
  image.set(label, label_counter::missed, 7);
  const std::string text = this->text();
  EXPECT_EQ(value(text, "detent_timers_scheduled_total{" + labels() + "}"), "12");
  EXPECT_EQ(value(text, "detent_timers_cancelled_total{" + labels() + "}"), "4");
  EXPECT_EQ(value(text, "detent_periods_missed_total{" + labels() + "}"), "6");
  EXPECT_EQ(value(text, "detent_timers_pending{" + labels() + "}"), "11");
  EXPECT_EQ(value(text, "detent_executor_queued{" + labels() + "}"), "5");
  EXPECT_EQ(value(text, "detent_worker_wakeups_total{" + labels() + "}"), "8");
  EXPECT_EQ(value(text, "detent_worker_margin_seconds{" + labels() + "}"), "6.1e-05");
  EXPECT_EQ(value(text, "detent_engine_live{" + labels() + "}"), "1");
  EXPECT_EQ(value(text, "detent_label_fired_total{" + labels() + ",label=\"retry\"}"), "9");
  EXPECT_EQ(value(text, "detent_label_periods_missed_total{" + labels() + ",label=\"retry\"}"), "7");
  EXPECT_EQ(value(text, "detent_label_pending{" + labels() + ",label=\"retry\"}"), "9");
}

TEST_F(PrometheusText, BucketsAreCumulativeAndEndWithAll) {
  image.record(cause::lateness, 0, 5);
  image.record(cause::lateness, 90, 2);
  image.record(cause::lateness, 3'000, 4);
  image.record(cause::lateness, 20'000'000'000, 1);
  image.record(cause::wait, 90, 1);
  const std::string text = this->text();
  const auto at = [&](const std::string& family, const std::string& more, const std::string& bound) {
    return value(text, family + "_bucket{" + labels() + more + ",le=\"" + bound + "\"}");
  };
  EXPECT_EQ(at("detent_lateness_seconds", "", "1e-07"), "7");
  EXPECT_EQ(at("detent_lateness_seconds", "", "2.5e-06"), "7");
  EXPECT_EQ(at("detent_lateness_seconds", "", "5e-06"), "11");
  EXPECT_EQ(at("detent_lateness_seconds", "", "10"), "11");
  EXPECT_EQ(at("detent_lateness_seconds", "", "+Inf"), "12");
  EXPECT_EQ(value(text, "detent_lateness_seconds_count{" + labels() + "}"), "12");
  EXPECT_EQ(value(text, "detent_lateness_seconds_sum{" + labels() + "}"), "20.00001218");
  EXPECT_EQ(at("detent_lateness_cause_seconds", ",cause=\"wait\"", "1e-07"), "12");  // eleven zeros left out
  EXPECT_EQ(at("detent_lateness_cause_seconds", ",cause=\"dispatch\"", "+Inf"), "12");
}

TEST_F(PrometheusText, NamesAreEscaped) {
  image.add_label("a\"b\\c\nd");
  EXPECT_NE(text().find(",label=\"a\\\"b\\\\x5cc\\\\x0ad\"}"), std::string::npos);
}

TEST_F(PrometheusText, AnEndedEngineIsNotLive) {
  counters_layout::header header = image.header();
  header.state = static_cast<std::uint32_t>(counters_layout::file_state::ended);
  image.put(header);
  EXPECT_EQ(value(text(), "detent_engine_live{"), "0");
}

}  // namespace
}  // namespace detent::tool
