// SPDX-License-Identifier: MIT
// A counters file as another program reads it: by its layout alone.
#pragma once

#include <detent/counters_layout.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace detent::drive {

namespace layout = counters_layout;

// A directory that is removed with the object.
class scratch_folder {
 public:
  explicit scratch_folder(const std::string& in = ::testing::TempDir()) {
    std::string made = in + "/detent-test-XXXXXX";
    EXPECT_NE(mkdtemp(made.data()), nullptr) << made;
    path = made;
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return path + "/" + name; }
  // Counts all files in it, including hidden ones.
  std::size_t files() const {
    const std::filesystem::directory_iterator each(path);
    return static_cast<std::size_t>(std::distance(begin(each), end(each)));
  }

  std::string path;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A copy of the file's bytes at one moment.
class counters_file {
 public:
  explicit counters_file(const std::string& path) : bytes_(bytes_of(path)) {
    EXPECT_GE(bytes_.size(), sizeof(header)) << path;
    if (bytes_.size() >= sizeof(header)) std::memcpy(&header, bytes_.data(), sizeof(header));
  }
  std::uint64_t word(std::size_t offset) const {
    std::uint64_t reported = 0;
    EXPECT_LE(offset + 8, bytes_.size());
    if (offset + 8 <= bytes_.size()) std::memcpy(&reported, bytes_.data() + offset, 8);
    return reported;
  }
  layout::file_state state() const { return layout::file_state{header.state}; }
  std::size_t size() const { return bytes_.size(); }
  // Sums over all threads.
  std::uint64_t total(layout::counter which) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < header.threads_in_use; ++i)
      sum += word(header.threads_offset + i * header.thread_stride + 8 * std::size_t(which));
    return sum;
  }
  std::int64_t value(layout::gauge which) const {
    return static_cast<std::int64_t>(word(header.gauges_offset + 8 * std::size_t(which)));
  }

  struct histogram_read {
    std::uint64_t count = 0, sum = 0, max = 0;
  };
  histogram_read read_histogram(layout::cause which) const {
    return histogram_at(header.histograms_offset + std::size_t(which) * header.histogram_stride);
  }
  std::size_t label_at(std::size_t label) const { return header.labels_offset + label * header.label_stride; }
  std::string label_name(std::size_t label) const {
    return label_at(label) < size() ? bytes_.c_str() + label_at(label) : "";
  }
  std::uint64_t label_count(std::size_t label, layout::label_counter which) const {
    return word(label_at(label) + layout::label_name_bytes + 8 * std::size_t(which));
  }
  histogram_read label_histogram(std::size_t label, layout::cause which) const {
    return histogram_at(label_at(label) + layout::label_histograms_offset +
                        std::size_t(which) * header.histogram_stride);
  }

  layout::header header{};

 private:
  histogram_read histogram_at(std::size_t offset) const {
    histogram_read reported;
    for (std::size_t i = 0; i < header.histogram_buckets; ++i) reported.count += word(offset + 8 * i);
    reported.sum = word(offset + 8 * std::size_t{header.histogram_buckets});
    reported.max = word(offset + 8 * std::size_t{header.histogram_buckets} + 8);
    return reported;
  }

  std::string bytes_;
};

}  // namespace detent::drive
