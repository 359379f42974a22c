// SPDX-License-Identifier: MIT
#include "zone_file.hpp"

#include <detent/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "bad_zone_file.hpp"
#include "civil.hpp"
#include "message.hpp"
#include "zone_footer.hpp"

namespace detent::detail {
namespace {

// A day before and after the years of schedules, because local time may be ahead of UTC or behind it.
constexpr std::int64_t first_instant = -2 * seconds_a_day;
constexpr std::int64_t last_instant = (day_count + 2) * seconds_a_day;

[[noreturn]] void refuse(const char* what) { throw bad_zone_file(std::string("is damaged: ") + what); }

class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : rest_(bytes) {}

  bool at_end() const { return rest_.empty(); }
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) refuse("it is cut short");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  // A big-endian number of 4 or 8 bytes.
  std::int64_t number(std::size_t size) {
    std::uint64_t value = 0;
    for (const char c : take(size)) value = value << 8 | static_cast<unsigned char>(c);
    return size == 4 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
  }
  std::uint64_t count() { return static_cast<std::uint32_t>(number(4)); }
  std::string_view line() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) refuse("its footer is cut short");
    const std::string_view taken = take(end);
    take(1);
    return taken;
  }

 private:
  std::string_view rest_;
};

struct block_header {
  char version;
  std::uint64_t ut_marks, standard_marks, leaps, changes, types, letters;

  explicit block_header(byte_reader& from) {
    constexpr std::string_view magic = "TZif";
    constexpr std::uint64_t reserved = 15;
    if (from.take(magic.size()) != magic) refuse("it does not begin as a zone's file does");
    version = from.take(1).front();
    from.take(reserved);
    for (std::uint64_t* each : {&ut_marks, &standard_marks, &leaps, &changes, &types, &letters}) *each = from.count();
  }
  std::uint64_t size(std::uint64_t time_size) const {
    return changes * (time_size + 1) + types * 6 + letters + leaps * (time_size + 4) + standard_marks + ut_marks;
  }
};

std::vector<std::int64_t> read_offsets(byte_reader from, std::uint64_t count) {
  std::vector<std::int64_t> all;
  for (; count != 0; --count) {
    all.push_back(from.number(4));
    from.take(2);  // the daylight-saving flag and the index of the name
    if (std::abs(all.back()) >= seconds_a_day) refuse("an offset is a day or more");
  }
  if (all.empty()) refuse("it has no offset");
  return all;
}

// Converts times with leap seconds into times without.
class leap_seconds {
 public:
  leap_seconds(byte_reader from, std::uint64_t count, std::size_t time_size) {
    for (; count != 0; --count) {
      const std::int64_t at = from.number(time_size);
      all_.push_back({at, from.number(4)});
    }
    if (!std::is_sorted(all_.begin(), all_.end())) refuse("its leap seconds are not in order");
  }
  std::int64_t without(std::int64_t at) const {
    const auto after = std::upper_bound(all_.begin(), all_.end(), offset_change{at, 0});
    return after == all_.begin() ? at : subtract_saturated(at, std::prev(after)->offset);
  }

 private:
  std::vector<offset_change> all_;  // the number of additional seconds in times from `at` on
};

// Returns the changes that a block lists, after a change at the beginning of time.
std::vector<offset_change> read_block(byte_reader& from, const block_header& header, std::size_t time_size) {
  byte_reader times(from.take(header.changes * time_size));
  const std::string_view types = from.take(header.changes);
  const std::vector<std::int64_t> offsets = read_offsets(byte_reader(from.take(header.types * 6)), header.types);
  from.take(header.letters);
  const leap_seconds leaps(byte_reader(from.take(header.leaps * (time_size + 4))), header.leaps, time_size);
  from.take(header.standard_marks + header.ut_marks);

  std::vector<offset_change> all = {{std::numeric_limits<std::int64_t>::min(), offsets.front()}};
  for (const char type : types) {
    const auto index = static_cast<unsigned char>(type);
    if (index >= offsets.size()) refuse("a change is to an offset that it does not have");
    all.push_back({leaps.without(times.number(time_size)), offsets[index]});
    if (all.size() > 2 && all.back().at <= all[all.size() - 2].at) refuse("its changes are not in order");
  }
  return all;
}

std::chrono::year year_of(std::int64_t instant) {
  const std::chrono::sys_seconds at{std::chrono::seconds(instant)};
  return civil_day(std::chrono::floor<std::chrono::days>(at)).year();
}

// The footer applies after the last listed change and overrides it if they contradict each other; zic makes such files.
void append_footer(std::string_view text, std::vector<offset_change>& all) {
  const std::int64_t from = std::clamp(all.back().at, first_instant - 1, last_instant) + 1;
  const std::vector<offset_change> more =
      zone_footer(text).changes(year_of(from) - std::chrono::years(1), year_of(last_instant));
  const auto after = std::upper_bound(more.begin(), more.end(), offset_change{from, 0});
  all.push_back({from, std::prev(after)->offset});
  all.insert(all.end(), after, more.end());
}

// If several changes have the same instant, the last one counts.
std::vector<offset_segment> segments_of(const std::vector<offset_change>& changes) {
  zone_rules rules;
  auto each = std::upper_bound(changes.begin(), changes.end(), offset_change{first_instant, 0});
  rules.add(first_instant, std::prev(each)->offset);
  for (; each != changes.end() && each->at < last_instant; ++each) {
    const auto next = std::next(each);
    if (next == changes.end() || next->at != each->at) rules.add(each->at, each->offset);
  }
  return rules.segments;
}

}  // namespace

std::vector<offset_segment> read_zone_file(std::string_view bytes) {
  constexpr std::size_t old_size = 4, new_size = 8;
  byte_reader from(bytes);
  block_header header(from);
  std::string_view footer;
  std::vector<offset_change> changes;
  if (header.version == '\0') {
    changes = read_block(from, header, old_size);
  } else {
    from.take(header.size(old_size));  // for readers of version 1
    header = block_header(from);
    changes = read_block(from, header, new_size);
    if (from.take(1) != "\n") refuse("its footer is not where it belongs");
    footer = from.line();
  }
  if (!footer.empty()) {
    append_footer(footer, changes);
  } else if (changes.size() > 1 && changes.back().at < last_instant) {
    throw bad_zone_file(
        "tells nothing of the time after " +
        day_text(day_of(static_cast<day_number>(std::max(changes.back().at, first_instant) / seconds_a_day))) +
        ": make it by zic without -r and -R, and without a leap second file that expires");
  }
  return segments_of(changes);
}

}  // namespace detent::detail
