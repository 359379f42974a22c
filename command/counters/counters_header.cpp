// SPDX-License-Identifier: MIT
#include "counters/counters_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string_view>

#include "text/input_error.hpp"

namespace detent::tool {
namespace {

using counters_layout::cause;
using counters_layout::counter;
using counters_layout::file_state;
using counters_layout::gauge;
using counters_layout::header;

// More than any engine has. Without these limits, a forged file could keep a reader busy for hours.
constexpr std::uint64_t most_threads = 1U << 16, most_labels = 1U << 8, largest_stride = 1U << 20;

struct section {
  const char* name;
  std::uint64_t offset;
  std::uint64_t bytes;         // the space reserved for it
  std::uint64_t bytes_in_use;  // the space in use now
};

class header_check {
 public:
  header_check(const header& header, std::uint64_t bytes, const std::string& where)
      : header_(header), bytes_(bytes), where_(where) {}

  void run() const {
    kind();
    identity();
    sizes();
    places();
  }

 private:
  [[noreturn]] void refuse(const std::string& trouble) const {
    throw input_error(fmt::format("{}: {}", where_, trouble));
  }
  [[noreturn]] void refuse(const char* field, std::uint64_t value, std::string_view trouble) const {
    refuse(fmt::format("field '{}': {} {}", field, value, trouble));
  }
  void at_most(const char* field, std::uint64_t value, std::uint64_t most) const {
    if (value > most) refuse(field, value, fmt::format("is more than {}", most));
  }
  void at_least(const char* field, std::uint64_t value, std::uint64_t least) const {
    if (value < least) refuse(field, value, fmt::format("is less than {}", least));
  }
  void exactly(const char* field, std::uint64_t value, std::uint64_t wanted) const {
    if (value != wanted) refuse(field, value, fmt::format("is not {}", wanted));
  }
  void aligned(const char* field, std::uint64_t value) const {
    if (value % 8 != 0) refuse(field, value, "is not a multiple of 8");
  }
  void not_negative(const char* field, std::int64_t value) const {
    if (value < 0) refuse(fmt::format("field '{}': {} is negative", field, value));
  }
  // Checks the distance between two elements of an array.
  void stride(const char* field, std::uint64_t value, std::uint64_t least) const {
    aligned(field, value);
    at_least(field, value, least);
    at_most(field, value, largest_stride);
  }

  // A time far from what any clock shows could overflow when it is added to another.
  void near_zero(const char* field, std::int64_t value) const {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
    if (value > most || value < -most)
      refuse(fmt::format("field '{}': {} is not a difference of two clocks", field, value));
  }

  void kind() const;
  void identity() const;
  void sizes() const;
  void places() const;

  const header& header_;
  std::uint64_t bytes_;
  const std::string& where_;
};

void header_check::kind() const {
  if (std::memcmp(header_.magic, counters_layout::magic, sizeof header_.magic) != 0) {
    // The file may be private, so the message shows none of its bytes.
    refuse("not a counters file of an engine: it does not begin like one");
  }
  if (header_.version != counters_layout::version) {
    refuse("version", header_.version,
           fmt::format("is another layout than version {}, which this detent reads", counters_layout::version));
  }
  at_most("state", header_.state, static_cast<std::uint32_t>(file_state::ended));
  if (header_.state == static_cast<std::uint32_t>(file_state::being_made)) {
    refuse("field 'state': the file is half made");
  }
}

void header_check::identity() const {
  if (header_.process <= 0) refuse(fmt::format("field 'process': {} is not the id of one", header_.process));
  not_negative("made_at", header_.made_at);
  if (std::memchr(header_.name, '\0', sizeof header_.name) == nullptr) refuse("field 'name': it does not end");
  not_negative("tick", header_.tick);
  at_least("tick", static_cast<std::uint64_t>(header_.tick), 1);
  not_negative("max_spin", header_.max_spin);
  at_most("wheel", header_.wheel, 1);
  at_most("wait", header_.wait, 2);
  at_most("drive", header_.drive, 1);
  at_most("clock", header_.clock, 2);
  at_most("locked", header_.locked, 1);
  if (std::memchr(header_.instance, '\0', sizeof header_.instance) == nullptr)
    refuse("field 'instance': it does not end");
  near_zero("monotonic_offset", header_.monotonic_offset);
  near_zero("since_boot_offset", header_.since_boot_offset);
}

void header_check::sizes() const {
  aligned("header_bytes", header_.header_bytes);
  at_least("header_bytes", header_.header_bytes, counters_layout::least_header_bytes);
  at_least("gauge_count", header_.gauge_count, static_cast<std::uint64_t>(gauge::count_));
  at_most("gauge_count", header_.gauge_count, largest_stride / 8);
  at_least("counter_count", header_.counter_count, static_cast<std::uint64_t>(counter::count_));
  stride("thread_stride", header_.thread_stride, std::uint64_t{header_.counter_count} * 8);
  at_most("thread_capacity", header_.thread_capacity, most_threads);
  at_most("threads_in_use", header_.threads_in_use, header_.thread_capacity);
  exactly("histogram_sub_bits", header_.histogram_sub_bits, counters_layout::histogram_sub_bits);
  exactly("histogram_buckets", header_.histogram_buckets, counters_layout::histogram_buckets);
  at_least("histogram_count", header_.histogram_count, static_cast<std::uint64_t>(cause::count_));
  stride("histogram_stride", header_.histogram_stride, (counters_layout::histogram_buckets + 2) * 8);
  stride("label_stride", header_.label_stride,
         counters_layout::label_histograms_offset + std::uint64_t{header_.histogram_count} * header_.histogram_stride);
  at_most("label_capacity", header_.label_capacity, most_labels);
  at_most("labels_in_use", header_.labels_in_use, header_.label_capacity);
}

void header_check::places() const {
  const auto product = [](std::uint64_t count, std::uint64_t each) { return count * each; };
  const std::uint64_t gauges = product(header_.gauge_count, 8);
  const std::uint64_t histograms = product(header_.histogram_count, header_.histogram_stride);
  std::array<section, 5> sections = {{
      {"header_bytes", 0, header_.header_bytes, header_.header_bytes},
      {"gauges_offset", header_.gauges_offset, gauges, gauges},
      {"threads_offset", header_.threads_offset, product(header_.thread_capacity, header_.thread_stride),
       product(header_.threads_in_use, header_.thread_stride)},
      {"histograms_offset", header_.histograms_offset, histograms, histograms},
      {"labels_offset", header_.labels_offset, product(header_.label_capacity, header_.label_stride),
       product(header_.labels_in_use, header_.label_stride)},
  }};
  if (header_.file_bytes > bytes_) {
    refuse("file_bytes", header_.file_bytes, fmt::format("were written, and {} are there: the file was cut", bytes_));
  }
  for (const section& each : sections) {
    aligned(each.name, each.offset);
    if (each.bytes_in_use != 0 && each.offset + each.bytes_in_use > header_.file_bytes) {
      refuse(fmt::format("field '{}': bytes {} to {} are not all within the {} of the file", each.name, each.offset,
                         each.offset + each.bytes_in_use, header_.file_bytes));
    }
  }
  std::stable_sort(sections.begin(), sections.end(),
                   [](const section& a, const section& b) { return a.offset < b.offset; });
  for (std::size_t i = 1; i < sections.size(); ++i) {
    const section &before = sections[i - 1], &after = sections[i];
    if (before.bytes > after.offset - before.offset) {
      refuse(after.name, after.offset, fmt::format("lies within the section of '{}'", before.name));
    }
  }
}

}  // namespace

void clear_missing_fields(counters_layout::header& seen) {
  const std::size_t there =
      std::clamp<std::size_t>(seen.header_bytes, counters_layout::least_header_bytes, sizeof seen);
  std::memset(reinterpret_cast<char*>(&seen) + there, 0, sizeof seen - there);
}

void check_header(const header& header, std::uint64_t bytes, const std::string& where) {
  header_check(header, bytes, where).run();
}

}  // namespace detent::tool
