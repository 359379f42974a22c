// SPDX-License-Identifier: MIT
// A file that is no counters file is refused by one line that names the file and the field.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "counters/counters_file.hpp"
#include "support/counters_image.hpp"
#include "support/temporary_directory.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

using layout_header = counters_layout::header;
using counters_layout::file_state;

class counters_files : public testing::Test {
 protected:
  // Returns why the file is refused, or an empty text if it is accepted.
  static std::string said(const std::string& path) {
    try {
      counters_file(path).read();
      return "";
    } catch (const input_error& refusal) {
      EXPECT_EQ(std::string(refusal.what()).find('\n'), std::string::npos);
      return refusal.what();
    }
  }
  std::string said_of(const std::string& bytes) const { return said(directory_.write("file", bytes)); }
  std::string said_of(const std::function<void(layout_header&)>& change) const {
    test::counters_image image;
    layout_header header = image.header();
    change(header);
    image.put(header);
    return said_of(image.bytes());
  }

  test::temporary_directory directory_;
};
using CountersRefusals = counters_files;

struct refused_header {
  std::string field;
  std::function<void(layout_header&)> change;
};

const std::vector<refused_header>& refused_headers() {
  static const std::vector<refused_header> all = {
      {"version", [](layout_header& h) { h.version = 0; }},
      {"state", [](layout_header& h) { h.state = 3; }},
      {"state", [](layout_header& h) { h.state = static_cast<std::uint32_t>(file_state::being_made); }},
      {"process", [](layout_header& h) { h.process = 0; }},
      {"made_at", [](layout_header& h) { h.made_at = -1; }},
      {"name", [](layout_header& h) { std::fill(std::begin(h.name), std::end(h.name), 'x'); }},
      {"tick", [](layout_header& h) { h.tick = 0; }},
      {"max_spin", [](layout_header& h) { h.max_spin = -1; }},
      {"wheel", [](layout_header& h) { h.wheel = 2; }},
      {"wait", [](layout_header& h) { h.wait = 3; }},
      {"drive", [](layout_header& h) { h.drive = 2; }},
      {"clock", [](layout_header& h) { h.clock = 3; }},
      {"header_bytes", [](layout_header& h) { h.header_bytes = 208; }},
      {"header_bytes", [](layout_header& h) { h.header_bytes = ~0U - 7; }},
      {"gauge_count", [](layout_header& h) { --h.gauge_count; }},
      {"counter_count", [](layout_header& h) { --h.counter_count; }},
      {"thread_stride", [](layout_header& h) { h.counter_count = ~0U; }},
      {"thread_stride", [](layout_header& h) { h.thread_stride = 0; }},
      {"thread_stride", [](layout_header& h) { h.thread_stride = ~0U - 7; }},
      {"thread_capacity", [](layout_header& h) { h.thread_capacity = ~0U; }},
      {"threads_in_use", [](layout_header& h) { h.threads_in_use = h.thread_capacity + 1; }},
      {"histogram_sub_bits", [](layout_header& h) { h.histogram_sub_bits = 6; }},
      {"histogram_buckets", [](layout_header& h) { ++h.histogram_buckets; }},
      {"histogram_count", [](layout_header& h) { --h.histogram_count; }},
      {"label_stride", [](layout_header& h) { h.histogram_count = ~0U; }},
      {"histogram_stride", [](layout_header& h) { h.histogram_stride = h.histogram_buckets * 8; }},
      {"label_stride", [](layout_header& h) { h.label_stride = 256; }},
      {"label_capacity", [](layout_header& h) { h.label_capacity = ~0U; }},
      {"labels_in_use", [](layout_header& h) { h.labels_in_use = h.label_capacity + 1; }},
      {"labels_offset", [](layout_header& h) { h.labels_in_use = 1; }},  // none is there
      {"gauges_offset", [](layout_header& h) { h.gauges_offset = 0; }},
      {"gauges_offset", [](layout_header& h) { h.gauges_offset = ~0U - 7; }},
      {"threads_offset", [](layout_header& h) { h.threads_offset = h.gauges_offset + 8; }},
      {"histograms_offset", [](layout_header& h) { h.histograms_offset -= 8; }},
      {"histograms_offset", [](layout_header& h) { h.histograms_offset = ~0U - 7; }},
      {"labels_offset", [](layout_header& h) { h.labels_offset = h.histograms_offset + 8; }},
      {"file_bytes", [](layout_header& h) { ++h.file_bytes; }},
      {"file_bytes", [](layout_header& h) { h.file_bytes = ~std::uint64_t{0}; }},
      {"locked", [](layout_header& h) { h.locked = 2; }},
      {"instance", [](layout_header& h) { std::fill(std::begin(h.instance), std::end(h.instance), 'x'); }},
      {"monotonic_offset", [](layout_header& h) { h.monotonic_offset = std::numeric_limits<std::int64_t>::min(); }},
      {"monotonic_offset", [](layout_header& h) { h.monotonic_offset = std::numeric_limits<std::int64_t>::max(); }},
      {"since_boot_offset", [](layout_header& h) { h.since_boot_offset = std::int64_t{1} << 62; }},
      {"header_bytes", [](layout_header& h) { h.file_bytes = 0; }},
      {"gauges_offset", [](layout_header& h) { h.file_bytes = sizeof h; }},
      {"histograms_offset", [](layout_header& h) { h.file_bytes -= 2'000; }},
  };
  return all;
}

TEST_F(CountersRefusals, ImpossibleFieldsAreNamed) {
  std::size_t number = 0;
  for (const refused_header& each : refused_headers()) {
    SCOPED_TRACE(testing::Message() << "case " << number++ << ", " << each.field);
    const std::string refusal = said_of(each.change);
    EXPECT_TRUE(refusal.starts_with(directory_.path() + "/file: field '" + each.field + "': ")) << refusal;
  }
}

TEST_F(CountersRefusals, OfEarlierAndLaterEnginesThereAreNone) {
  EXPECT_EQ(said_of([](layout_header&) {}), "");
  EXPECT_EQ(said_of([](layout_header& h) { h.state = static_cast<std::uint32_t>(file_state::ended); }), "");
  EXPECT_EQ(said_of([](layout_header& h) { h.header_bytes = counters_layout::least_header_bytes; }), "");
  EXPECT_EQ(said_of([](layout_header& h) { h.header_bytes += 24; }), "");
  EXPECT_EQ(said_of([](layout_header& h) { ++h.gauge_count; }), "");
  EXPECT_EQ(said_of([](layout_header& h) { ++h.counter_count; }), "");
  EXPECT_EQ(said_of([](layout_header& h) { h.reserved[0] = 1; }), "");
}

TEST_F(CountersRefusals, ForeignFilesAreDistinguishedFromDamagedOnes) {
  const std::string foreign = "not a counters file of an engine";
  std::string program(1'006, 'e');
  program.replace(0, 8, "\177ELF\033[2J");
  for (const std::string& bytes :
       {std::string(), std::string("detent#c"), std::string(487, 'd'), std::string(1'000'000, '\0'), program}) {
    EXPECT_NE(said_of(bytes).find(foreign), std::string::npos) << said_of(bytes);
  }
  test::counters_image image;
  for (const std::size_t bytes : {488UL, 4'096UL, 300'000UL, image.bytes().size() - 1}) {
    EXPECT_NE(said_of(image.bytes().substr(0, bytes)).find("the file was cut"), std::string::npos) << bytes;
  }
}

TEST_F(CountersRefusals, WhatIsNoFileIsSaidToBeNone) {
  EXPECT_EQ(said(directory_.path()),
            directory_.path() + ": not a counters file of an engine: it is not a regular file");
  EXPECT_EQ(said(directory_.path() + "/none"),
            directory_.path() + "/none: cannot be opened: No such file or directory");
  const std::string pipe = directory_.path() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(said(pipe).find("not a regular file"), std::string::npos);  // at once, although no process writes
  EXPECT_NE(said("/dev/null").find("not a regular file"), std::string::npos);
  EXPECT_EQ(said("a\nb\x1b[2J"), "a\\x0ab\\x1b[2J: cannot be opened: No such file or directory");
}

TEST_F(CountersRefusals, ALinkThatWasFoundIsNotFollowed) {
  const std::string file = directory_.write("file", test::counters_image().bytes()), link = directory_.path() + "/link";
  std::filesystem::create_symlink(file, link);
  EXPECT_NO_THROW(static_cast<void>(counters_file(link)));
  try {
    static_cast<void>(counters_file(link, path_origin::found));
    FAIL();
  } catch (const input_error& trouble) {
    EXPECT_NE(std::string_view(trouble.what()).find("symbolic link"), std::string_view::npos);
  }
}

TEST_F(CountersRefusals, ALabelsNameEnds) {
  test::counters_image image;
  image.add_label("first");
  const std::uint32_t second = image.add_label("second");
  image.bytes().replace(counters_layout::labels_offset + second * std::size_t{counters_layout::label_stride}, 64, 64,
                        'x');
  EXPECT_EQ(said_of(image.bytes()), directory_.path() + "/file: label 2: field 'name': it does not end");
}

TEST_F(CountersRefusals, AFileThatIsCutUnderTheReaderIsAnErrorLikeAnyOther) {
  test::counters_image image;
  image.add_label("one");
  for (const std::size_t left : {0UL, 100UL, 5'000UL, 400'000UL, 700'000UL}) {
    const std::string path = directory_.write("live", image.bytes());
    counters_file file(path);
    EXPECT_EQ(file.read().labels.size(), 1U);
    std::filesystem::resize_file(path, left);
    EXPECT_THROW(file.read(), input_error) << left;
  }
}

TEST_F(CountersRefusals, AFileThatBecomesAnotherIsRefused) {
  test::counters_image image;
  const std::string path = directory_.write("live", image.bytes());
  counters_file file(path);
  layout_header header = image.header();
  header.version = 9;
  image.put(header);
  image.write(path);
  EXPECT_THROW(file.read(), input_error);
}

}  // namespace
}  // namespace detent::tool
