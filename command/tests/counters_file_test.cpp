// SPDX-License-Identifier: MIT
#include "counters/counters_file.hpp"

#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>

#include "support/counters_image.hpp"
#include "support/drive_eventually.hpp"
#include "support/temporary_directory.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

class counters_file_in_a_directory : public testing::Test {
 protected:
  counters_snapshot read() const { return counters_file(write()).read(); }
  std::string write() const { return directory_.write("live", image_.bytes()); }
  void rewrite() const { image_.write(directory_.path() + "/live"); }  // the same file, as if it were mapped

  test::temporary_directory directory_;
  mutable test::counters_image image_;
};
using CountersFile = counters_file_in_a_directory;

TEST_F(CountersFile, NamesItsEngineAndProcess) {
  counters_layout::header header = image_.header();
  header.worker_thread = 77;
  header.tick = 1'000;
  header.capacity = 5;
  header.wheel = 1;
  header.wait = 2;
  header.drive = 1;
  header.clock = 2;
  std::strcpy(header.name,
              "or\x1b"
              "ders\xff");
  image_.put(header);
  const engine_identity who = read().identity;
  EXPECT_EQ(who.path, directory_.path() + "/live");
  EXPECT_EQ(who.name, "or\\x1bders\\xff");
  EXPECT_EQ(who.process, ::getpid());
  EXPECT_EQ(who.process_start, test::start_of(::getpid()));
  EXPECT_EQ(who.made_at, 1);
  EXPECT_EQ(who.worker_thread, 77U);
  EXPECT_EQ(who.tick, 1'000);
  EXPECT_EQ(who.max_spin, 200'000);
  EXPECT_EQ(who.capacity, 5U);
  EXPECT_STREQ(who.wheel, "hashed");
  EXPECT_STREQ(who.wait, "sleep");
  EXPECT_STREQ(who.drive, "caller");
  EXPECT_STREQ(who.clock, "manual");
}

TEST_F(CountersFile, NamesWhyAnEngineRunsByTheSteadyClock) {
  counters_layout::header header = image_.header();
  header.clock = 0;
  header.clock_reason = static_cast<std::uint8_t>(counters_layout::clock_reason::other_source);
  image_.put(header);
  EXPECT_STREQ(read().identity.clock_reason, "the kernel's clock source is not the TSC");
  header.clock_reason = 0;
  image_.put(header);
  EXPECT_STREQ(read().identity.clock_reason, "");
  header.clock_reason = 255;  // a value of a later version
  image_.put(header);
  EXPECT_STREQ(read().identity.clock_reason, "");
}

TEST_F(CountersFile, TotalsAreSumsOverTheThreadsInUse) {
  for_each_key<counter>([&](counter key) {
    for (const std::uint32_t thread : {0U, 1U, 1'023U})
      image_.set(thread, key, 1 + thread + static_cast<unsigned>(key));
  });
  const counters_snapshot read = this->read();
  EXPECT_EQ(read.threads, 1'024U);
  for_each_key<counter>([&](counter key) {
    EXPECT_EQ(read.totals[key], 3 + 1'024 + 3 * static_cast<std::uint64_t>(key)) << name_of(key);
  });
  EXPECT_EQ(read.cancelled(), read.totals[counter::cancelled] + read.totals[counter::cancelled_running]);
}

TEST_F(CountersFile, PendingIsWhatBeganAndIsNotOverAndNeverBelowZero) {
  image_.set(0, counter::scheduled, 100);
  image_.set(1, counter::revived, 5);
  image_.set(2, counter::started_last, 50);
  image_.set(1, counter::cancelled, 20);
  image_.set(0, counter::returned, 3);
  image_.set(2, counter::dropped, 2);
  image_.set(2, counter::cancelled_running, 1'000);
  EXPECT_EQ(read().pending(), 30U);
  image_.set(2, counter::started_last, 100);
  EXPECT_EQ(read().pending(), 0U);
}

TEST_F(CountersFile, GaugesAreRead) {
  for_each_key<gauge>([&](gauge key) { image_.set(key, 10 + static_cast<std::int64_t>(key)); });
  const counters_snapshot read = this->read();
  for_each_key<gauge>(
      [&](gauge key) { EXPECT_EQ(read.gauges[key], 10 + static_cast<std::int64_t>(key)) << name_of(key); });
}

TEST_F(CountersFile, EachPartStandsForTheZerosItLeavesOut) {
  image_.record(cause::lateness, 0, 90);
  image_.record(cause::lateness, 1'000, 10);
  image_.record(cause::wait, 1'000, 10);
  image_.record(cause::callback, 40, 3);
  const counters_snapshot read = this->read();
  EXPECT_EQ(read.histograms[cause::wait].count(), 100U);
  EXPECT_EQ(read.histograms[cause::wait].percentile(90), duration(0));
  EXPECT_EQ(read.histograms[cause::wait].percentile(99), duration(1'000));
  EXPECT_EQ(read.histograms[cause::drain].count(), 100U);
  EXPECT_EQ(read.histograms[cause::drain].percentile(99.9), duration(0));
  EXPECT_EQ(read.histograms[cause::callback].count(), 3U);  // callbacks are not a part
}

TEST_F(CountersFile, APartThatIsAheadOfTheWholeStandsForNone) {
  image_.record(cause::lateness, 10, 1);
  image_.record(cause::dispatch, 10, 5);
  EXPECT_EQ(read().histograms[cause::dispatch].count(), 5U);
}

TEST_F(CountersFile, LabelsHaveTheirOwnCountsAndHistograms) {
  const std::uint32_t retry = image_.add_label("retry"), idle = image_.add_label("idle");
  image_.set(retry, label_counter::begun, 9);
  image_.set(retry, label_counter::over, 2);
  image_.set(idle, label_counter::fired, 4);
  image_.record(idle, cause::lateness, 500, 4);
  image_.record(idle, cause::worker, 500, 1);
  const counters_snapshot read = this->read();
  ASSERT_EQ(read.labels.size(), 2U);
  EXPECT_EQ(read.labels[0].name, "retry");
  EXPECT_EQ(read.labels[0].pending(), 7U);
  EXPECT_EQ(read.labels[0].histograms[cause::lateness].count(), 0U);
  EXPECT_EQ(read.labels[1].name, "idle");
  EXPECT_EQ(read.labels[1].pending(), 0U);
  EXPECT_EQ(read.labels[1].counts[label_counter::fired], 4U);
  EXPECT_EQ(read.labels[1].histograms[cause::worker].count(), 4U);
  EXPECT_EQ(read.labels[1].histograms[cause::worker].percentile(50), duration(0));
}

TEST_F(CountersFile, NoTwoLabelsHaveOneName) {
  const std::string longest(63, 'x');
  for (const std::string& name : {longest + "a", longest + "b", std::string("y"), longest}) image_.add_label(name);
  const auto labels = read().labels;
  EXPECT_EQ(labels[0].name, longest);
  EXPECT_EQ(labels[1].name, longest + "#2");
  EXPECT_EQ(labels[2].name, "y");
  EXPECT_EQ(labels[3].name, longest + "#4");
}

TEST_F(CountersFile, ADifferenceOfTwoReadingsIsWhatHappenedInBetween) {
  const std::uint32_t label = image_.add_label("retry");
  image_.set(0, counter::fired, 10);
  image_.set(gauge::wakeups, 7);
  image_.set(gauge::backlog, 3);
  image_.record(cause::lateness, 1'000'000, 1);
  counters_file file(write());
  const counters_snapshot first = file.read();
  image_.set(0, counter::fired, 25);
  image_.set(gauge::wakeups, 9);
  image_.set(gauge::backlog, 1);
  image_.record(cause::lateness, 100, 4);
  image_.record(cause::wait, 100, 1);
  image_.set(label, label_counter::fired, 6);
  image_.set(image_.add_label("new"), label_counter::fired, 2);
  rewrite();
  const counters_snapshot change = since(file.read(), first);
  EXPECT_EQ(change.totals[counter::fired], 15U);
  EXPECT_EQ(change.gauges[gauge::wakeups], 2);
  EXPECT_EQ(change.gauges[gauge::backlog], 1);
  EXPECT_EQ(change.histograms[cause::lateness].count(), 4U);
  EXPECT_EQ(change.histograms[cause::wait].count(), 4U);
  EXPECT_EQ(change.histograms[cause::wait].percentile(50), duration(0));
  ASSERT_EQ(change.labels.size(), 2U);
  EXPECT_EQ(change.labels[0].counts[label_counter::fired], 6U);
  EXPECT_EQ(change.labels[1].counts[label_counter::fired], 2U);
  EXPECT_EQ(since(first, file.read()).totals[counter::fired], 0U);
}

// Each run is later than all before it, and for one cause only.
TEST_F(CountersFile, OfALiveEngineHasNoPartAboveTheWhole) {
  manual_clock clock;
  engine live({.manual = &clock, .counters_file = directory_.path() + "/engine"});
  const label mine = live.make_label("mine");
  counters_file file(directory_.path() + "/engine");
  std::atomic<bool> done{false};
  std::thread driver([&] {
    for (int late = 1; !done; ++late) {
      live.schedule_at(clock.now() - duration(late), [] {}, {.label = mine});
      live.poll();
    }
  });
  EXPECT_TRUE(drive::eventually([&] { return file.read().histograms[cause::drain].max() != duration(0); }));
  for (int reading = 0; reading < 200; ++reading) {
    const counters_snapshot seen = file.read();
    for (const histograms_by_cause* of : {&seen.histograms, &seen.labels[0].histograms})
      EXPECT_LE((*of)[cause::drain].max(), (*of)[cause::lateness].max()) << "reading " << reading;
  }
  done = true;
  driver.join();
}

TEST_F(CountersFile, ADifferenceIsOfLabelsOfOneName) {
  counters_snapshot earlier, later;
  for (const char* name : {"a", "b"}) earlier.labels.push_back({.name = name, .counts = {}, .histograms = {}});
  for (const char* name : {"b", "c", "a"}) later.labels.push_back({.name = name, .counts = {}, .histograms = {}});
  earlier.labels[0].counts[label_counter::fired] = 10;
  earlier.labels[1].counts[label_counter::fired] = 1'000;
  for (label_snapshot& each : later.labels) each.counts[label_counter::fired] = 1'100;
  const auto fired = [&](std::size_t label) {
    return since(later, earlier).labels[label].counts[label_counter::fired];
  };
  EXPECT_EQ(fired(0), 100U);
  EXPECT_EQ(fired(1), 1'100U);
  EXPECT_EQ(fired(2), 1'090U);
  earlier.labels_left_out = 1;  // one of them may be c
  EXPECT_EQ(fired(1), 0U);
}

TEST_F(CountersFile, LabelsBeyondTheBudgetAreLeftOutAndCounted) {
  engine engine({.drive = drive_kind::caller, .counters_file = directory_.path() + "/own"});
  for (const char* name : {"a", "b", "c"}) static_cast<void>(engine.make_label(name));
  reading_budget budget{.labels = 1};
  const counters_snapshot read = counters_file(directory_.path() + "/own").read(budget);
  EXPECT_EQ(read.labels.size(), 1U);
  EXPECT_EQ(read.labels_left_out, 2U);
}

}  // namespace
}  // namespace detent::tool
