// SPDX-License-Identifier: MIT
#include "counters/counters_block.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../src/name_spaces.hpp"
#include "counters/label_store.hpp"
#include "support/counters_file.hpp"
#include "support/joined_thread.hpp"

namespace detent::detail {
namespace {

using drive::counters_file;
using drive::scratch_folder;

engine_options with_file(const std::string& path, std::string name = "name") {
  engine_options options;
  options.counters_file = path;
  options.name = std::move(name);
  return options;
}

// Tests with a file that has its name.
class CountersBlock : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    ASSERT_EQ(block.check(why), errc{}) << why;
    ASSERT_EQ(block.publish(why), errc{}) << why;
  }
  scratch_folder folder;
  counters_block block{with_file(folder / "counters")};
};

TEST_F(CountersBlock, SaysWhereEverythingLies) {
  const counters_file file(folder / "counters");
  const counters_layout::header& h = file.header;
  EXPECT_EQ(std::string(h.magic, 8), "detent#c");
  EXPECT_EQ(h.version, 1u);
  EXPECT_EQ(h.header_bytes, 848u);
  EXPECT_EQ(h.file_bytes, file.size());
  EXPECT_EQ(file.state(), counters_layout::file_state::live);
  EXPECT_EQ(h.gauge_count, static_cast<std::uint32_t>(gauge::count_));
  EXPECT_EQ(h.counter_count, static_cast<std::uint32_t>(counter::count_));
  EXPECT_EQ(h.histogram_count, static_cast<std::uint32_t>(cause::count_));
  EXPECT_EQ(h.histogram_buckets, histogram_scale::buckets);
  EXPECT_EQ(h.histogram_sub_bits, histogram_scale::sub_bits);
  EXPECT_EQ(h.labels_in_use, 0u);
  EXPECT_LE(h.gauges_offset + h.gauge_count * 8, h.threads_offset);
  EXPECT_LE(h.threads_offset + h.thread_capacity * h.thread_stride, h.histograms_offset);
  EXPECT_LE(h.histograms_offset + h.histogram_count * h.histogram_stride, h.labels_offset);
  EXPECT_EQ(h.reserved[0], 0);
  EXPECT_LE(h.header_bytes, h.gauges_offset);
  block.end();
  EXPECT_EQ(counters_file(folder / "counters").state(), counters_layout::file_state::ended);
}

TEST_F(CountersBlock, SaysWhoseItIs) {
  engine_options options = with_file(folder / "other", "orders");
  options.instance = "unit 3";
  std::string why;
  counters_block other(options);
  ASSERT_EQ(other.publish(why), errc{}) << why;
  const counters_layout::header h = counters_file(folder / "other").header;
  EXPECT_STREQ(h.name, "orders");
  EXPECT_STREQ(h.instance, "unit 3");
  EXPECT_EQ(h.locked, 1u);
  EXPECT_EQ(h.process_namespace, name_spaces_of_this_process().processes);
  EXPECT_EQ(h.monotonic_offset, name_spaces_of_this_process().monotonic_offset);
  EXPECT_EQ(h.since_boot_offset, name_spaces_of_this_process().since_boot_offset);
}

TEST_F(CountersBlock, EachThreadHasItsOwnCells) {
  std::set<counter_cell*> taken;
  for (int i = 1; i <= 5; ++i) {
    counter_cell* cells = block.take_cells();
    EXPECT_TRUE(taken.insert(cells).second);
    counters mine(cells);
    mine.add(counter::scheduled, static_cast<std::uint64_t>(i));
    mine.add(counter::slow);
    const counters_file file(folder / "counters");
    EXPECT_EQ(file.header.threads_in_use, static_cast<std::uint32_t>(i));
    EXPECT_EQ(file.total(counter::scheduled), static_cast<std::uint64_t>(i * (i + 1) / 2));
    EXPECT_EQ(file.total(counter::slow), static_cast<std::uint64_t>(i));
  }
}

TEST_F(CountersBlock, ThreadsBeyondTheLayoutAreHidden) {
  std::vector<std::vector<counter_cell*>> taken(4);
  testing::on_threads(taken.size(), [&](std::size_t self) {
    for (int i = 0; i < 300; ++i) {
      taken[self].push_back(block.take_cells());
      counters(taken[self].back()).add(counter::fired);
    }
  });
  std::set<counter_cell*> all;
  for (const auto& mine : taken) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 1200u);
  EXPECT_EQ(all.count(nullptr), 0u);
  const counters_file file(folder / "counters");
  EXPECT_EQ(file.header.threads_in_use, counters_layout::thread_capacity);
  EXPECT_EQ(file.value(gauge::hidden_threads), 1200 - 1024);
  EXPECT_EQ(file.total(counter::fired), 1024u);
  std::uint64_t sum = 0;
  for (counter_cell* each : all) sum += counters(each).read(counter::fired);
  EXPECT_EQ(sum, 1200u);
}

TEST_F(CountersBlock, GaugesAndHistogramsAreWhereTheLayoutSays) {
  for (std::uint8_t i = 0; i < static_cast<std::uint8_t>(gauge::count_); ++i) block.set(gauge{i}, 100 + i);
  block.set(gauge::next_deadline, -5);
  for (std::uint8_t i = 0; i < static_cast<std::uint8_t>(cause::count_); ++i) {
    for (int k = 0; k <= i; ++k) block[cause{i}].record(1000 * i + k, k % 2 == 0);
  }
  const counters_file file(folder / "counters");
  EXPECT_EQ(file.value(gauge::wakeups), 100);
  EXPECT_EQ(file.value(gauge::record_dropped), 100 + static_cast<int>(gauge::record_dropped));
  EXPECT_EQ(file.value(gauge::next_deadline), -5);
  for (std::uint8_t i = 0; i < static_cast<std::uint8_t>(cause::count_); ++i) {
    EXPECT_EQ(file.read_histogram(cause{i}).count, i + 1u);
    EXPECT_EQ(file.read_histogram(cause{i}).max, 1001u * i);
    EXPECT_EQ(file.read_histogram(cause{i}).sum, 1000u * i * (i + 1u) + i * (i + 1u) / 2);
  }
}

TEST_F(CountersBlock, LabelsLieOneAfterTheOther) {
  const std::vector<std::string> names{"first", std::string(63, 'x'), "third"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    label_block* made = block.add_label(names[i]);
    ASSERT_NE(made, nullptr);
    made->add(label_counter::begun, 10 + i);
    made->add(label_counter::over, 2);
    (*made)[cause::callback].record(77, false);
  }
  const counters_file file(folder / "counters");
  ASSERT_EQ(file.header.labels_in_use, 3u);
  EXPECT_EQ(file.header.file_bytes, file.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(file.label_name(i), names[i]);
    EXPECT_EQ(file.label_count(i, label_counter::begun), 10 + i);
    EXPECT_EQ(file.label_count(i, label_counter::over), 2u);
    EXPECT_EQ(file.label_histogram(i, cause::callback).max, 77u);
    EXPECT_EQ(file.label_histogram(i, cause::lateness).count, 0u);
  }
}

TEST_F(CountersBlock, LongNamesAreCut) {
  counters_block named(with_file(folder / "named", std::string(200, 'n')));
  std::string why;
  ASSERT_EQ(named.publish(why), errc{}) << why;
  EXPECT_EQ(std::string(counters_file(folder / "named").header.name), std::string(63, 'n'));
}

TEST_F(CountersBlock, ShowsWhyWorkWaitsUntilNoneDoes) {
  block.note_stall("clock_off: ten wait", 10);
  const counters_file waiting(folder / "counters");
  EXPECT_STREQ(waiting.header.stall_text, "clock_off: ten wait");
  EXPECT_EQ(waiting.header.stall_waiting, 10u);
  EXPECT_EQ(waiting.header.stall_sequence, 2u);
  EXPECT_EQ(waiting.header.error_sequence, 0u) << "which is no error";
  block.note_stall("", 0);
  const counters_file none(folder / "counters");
  EXPECT_STREQ(none.header.stall_text, "");
  EXPECT_EQ(none.header.stall_waiting, 0u);
}

TEST_F(CountersBlock, SaysWhyThereIsNone) {
  counters_block none(with_file("/nowhere/at/all"));
  std::string why;
  EXPECT_EQ(none.check(why), errc::invalid_option);
  EXPECT_EQ(why, "counters_file = \"/nowhere/at/all\": No such file or directory; its folder must exist");
  EXPECT_EQ(none.take_cells(), nullptr);
}

TEST_F(CountersBlock, SaysWhyItCannotBeShown) {
  counters_block refused(with_file(folder / "folder"));
  std::filesystem::create_directory(folder / "folder");  // a folder comes in between
  std::string why;
  EXPECT_EQ(refused.check(why), errc{});
  EXPECT_EQ(refused.publish(why), errc::invalid_option);
  EXPECT_EQ(why, "counters_file = \"" + (folder / "folder") + "\": Is a directory; name a file in it");
}

// Nothing else orders the two threads. A thread that finds a label's number, even by guessing, must find its block and
// its name.
TEST(LabelStore, ALabelThatIsFoundIsWhole) {
  constexpr std::uint16_t count = 20;
  auto name = [](std::uint16_t number) { return "label " + std::to_string(number); };
  counters_block block(engine_options{});
  label_store labels(block);
  std::atomic<bool> refused{false};
  testing::joined_thread maker([&] {
    label made;
    std::string why;
    for (std::uint16_t number = 1; number <= count; ++number) {
      if (labels.make(name(number), made, why) != errc{}) refused.store(true, std::memory_order_relaxed);
    }
  });
  for (std::uint16_t number = 1; number <= count; ++number) {
    const label_block* found = nullptr;
    while ((found = labels.find(number)) == nullptr) {
      ASSERT_FALSE(refused.load(std::memory_order_relaxed)) << "no label is made";  // relaxed: orders nothing either
      std::this_thread::yield();
    }
    EXPECT_EQ(found->name, name(number));
    EXPECT_EQ(labels.named(number).name(), name(number));
  }
}

}  // namespace
}  // namespace detent::detail
