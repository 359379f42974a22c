// SPDX-License-Identifier: MIT
// The bytes of a counters file as an engine would write them, with contents of the test's choice.
#pragma once

#include <detent/counters_layout.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "counters/histogram_recorder.hpp"

namespace detent::test {

// Returns field 22 of /proc/PID/stat.
inline std::uint64_t start_of(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string text(std::istreambuf_iterator<char>(stat), {});
  text.erase(0, text.rfind(')') + 1);
  const char* at = text.c_str();
  for (int spaces = 0; spaces < 20; ++at) spaces += *at == ' ' ? 1 : 0;
  return std::strtoull(at, nullptr, 10);
}

// Begins as that of a live engine that has counted nothing and has no labels.
class counters_image {
 public:
  explicit counters_image(pid_t process = ::getpid());

  // Returns the header, to be changed and put back.
  counters_layout::header header() const { return value_at<counters_layout::header>(0); }
  void put(const counters_layout::header& header) { put_at(0, header); }

  void set(std::uint32_t thread, counters_layout::counter key, std::uint64_t value);
  void set(counters_layout::gauge key, std::int64_t value);
  void record(counters_layout::cause key, std::uint64_t nanoseconds, std::uint64_t times = 1);
  void set_last_error(std::string_view text, std::uint64_t sequence = 2);
  void set_stall(std::string_view text, std::uint64_t waiting);
  // Adds a label and returns its number, counted from 0.
  std::uint32_t add_label(std::string_view name);
  void set(std::uint32_t label, counters_layout::label_counter key, std::uint64_t value);
  void record(std::uint32_t label, counters_layout::cause key, std::uint64_t nanoseconds, std::uint64_t times = 1);

  std::string& bytes() { return bytes_; }
  void write(const std::string& path) const { std::ofstream(path, std::ios::binary) << bytes_; }

 private:
  template <class Value>
  Value value_at(std::uint64_t offset) const {
    Value value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  template <class Value>
  void put_at(std::uint64_t offset, const Value& value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
  }
  void record_at(std::uint64_t histogram, std::uint64_t nanoseconds, std::uint64_t times);

  std::string bytes_;
};

inline counters_image::counters_image(pid_t process) : bytes_(counters_layout::labels_offset, '\0') {
  using namespace counters_layout;
  counters_layout::header made = {};
  std::memcpy(made.magic, magic, sizeof magic);
  made.version = counters_layout::version;
  made.header_bytes = sizeof made;
  made.file_bytes = labels_offset;
  made.process = process;
  made.process_start = start_of(process);
  made.made_at = 1;
  made.state = static_cast<std::uint32_t>(file_state::live);
  std::strcpy(made.name, "sample");
  made.tick = 1;
  made.max_spin = 200'000;
  made.wait = 1;
  made.gauges_offset = gauges_offset;
  made.gauge_count = static_cast<std::uint32_t>(gauge::count_);
  made.threads_offset = threads_offset;
  made.thread_stride = thread_stride;
  made.thread_capacity = thread_capacity;
  made.counter_count = static_cast<std::uint32_t>(counter::count_);
  made.histograms_offset = histograms_offset;
  made.histogram_stride = histogram_stride;
  made.histogram_count = static_cast<std::uint32_t>(cause::count_);
  made.histogram_buckets = histogram_buckets;
  made.histogram_sub_bits = histogram_sub_bits;
  made.labels_offset = labels_offset;
  made.label_stride = label_stride;
  made.label_capacity = label_capacity;
  put(made);
}

inline void counters_image::set(std::uint32_t thread, counters_layout::counter key, std::uint64_t value) {
  counters_layout::header head = header();
  head.threads_in_use = std::max(head.threads_in_use, thread + 1);
  put(head);
  put_at(
      counters_layout::threads_offset + thread * counters_layout::thread_stride + 8 * static_cast<std::uint32_t>(key),
      value);
}

inline void counters_image::set(counters_layout::gauge key, std::int64_t value) {
  put_at(counters_layout::gauges_offset + 8 * static_cast<std::uint32_t>(key), value);
}

inline void counters_image::set_last_error(std::string_view text, std::uint64_t sequence) {
  counters_layout::header head = header();
  head.error_sequence = sequence;
  head.error_at = head.made_at;
  std::memset(head.error_text, 0, sizeof head.error_text);
  text.copy(head.error_text, sizeof head.error_text - 1);
  put(head);
}

inline void counters_image::set_stall(std::string_view text, std::uint64_t waiting) {
  counters_layout::header head = header();
  head.stall_sequence += 2;
  head.stall_at = head.made_at;
  std::memset(head.stall_text, 0, sizeof head.stall_text);
  text.copy(head.stall_text, sizeof head.stall_text - 1);
  head.stall_waiting = waiting;
  put(head);
}

inline void counters_image::record_at(std::uint64_t histogram, std::uint64_t nanoseconds, std::uint64_t times) {
  const std::uint64_t bucket = histogram + 8 * detail::histogram_scale::bucket(nanoseconds);
  const std::uint64_t sum = histogram + 8 * std::uint64_t{counters_layout::histogram_buckets}, max = sum + 8;
  put_at(bucket, value_at<std::uint64_t>(bucket) + times);
  put_at(sum, value_at<std::uint64_t>(sum) + times * nanoseconds);
  put_at(max, std::max(value_at<std::uint64_t>(max), nanoseconds));
}

inline void counters_image::record(counters_layout::cause key, std::uint64_t nanoseconds, std::uint64_t times) {
  record_at(counters_layout::histograms_offset + static_cast<std::uint32_t>(key) * counters_layout::histogram_stride,
            nanoseconds, times);
}

inline std::uint32_t counters_image::add_label(std::string_view name) {
  counters_layout::header head = header();
  const std::uint32_t number = head.labels_in_use++;
  bytes_.resize(bytes_.size() + counters_layout::label_stride);
  head.file_bytes = bytes_.size();
  put(head);
  name = name.substr(0, counters_layout::label_name_bytes - 1);
  std::memcpy(bytes_.data() + counters_layout::labels_offset + number * std::size_t{counters_layout::label_stride},
              name.data(), name.size());
  return number;
}

inline void counters_image::set(std::uint32_t label, counters_layout::label_counter key, std::uint64_t value) {
  put_at(counters_layout::labels_offset + std::uint64_t{label} * counters_layout::label_stride +
             counters_layout::label_name_bytes + 8 * static_cast<std::uint32_t>(key),
         value);
}

inline void counters_image::record(std::uint32_t label, counters_layout::cause key, std::uint64_t nanoseconds,
                                   std::uint64_t times) {
  record_at(counters_layout::labels_offset + std::uint64_t{label} * counters_layout::label_stride +
                counters_layout::label_histograms_offset +
                static_cast<std::uint32_t>(key) * counters_layout::histogram_stride,
            nanoseconds, times);
}

}  // namespace detent::test
