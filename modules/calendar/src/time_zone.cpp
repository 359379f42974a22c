// SPDX-License-Identifier: MIT
#include <detent/calendar_error.hpp>
#include <detent/time_zone.hpp>

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "message.hpp"
#include "zone_rules.hpp"

namespace detent {
namespace {

using rules_pointer = std::shared_ptr<const detail::zone_rules>;
using cctz_time = cctz::time_point<cctz::seconds>;

[[noreturn]] void refuse(std::string_view name, const char* why) {
  throw error(calendar_errc::unknown_zone, "time zone " + detail::quoted(name) + ": " + why);
}

// Nothing that climbs out of the database, or means a file elsewhere: names are words between single slashes.
bool is_zone_name(std::string_view name) {
  constexpr std::size_t longest = 64;
  const auto in_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '+';
  };
  if (name.empty() || name.size() > longest) return false;
  char before = '/';
  for (const char c : name) {
    if (c == '/' ? before == '/' : !in_word(c)) return false;
    before = c;
  }
  return before != '/';
}

detail::civil_second number_of(const cctz::civil_second& at) { return at - cctz::civil_second(1970, 1, 1); }

// Where cctz looks for it.
bool has_file(const std::string& name) {
  const char* const set = std::getenv("TZDIR");
  const std::filesystem::path database = set != nullptr && *set != '\0' ? set : "/usr/share/zoneinfo";
  std::error_code trouble;
  return std::filesystem::is_regular_file(database / name, trouble);
}

rules_pointer read_zone(const std::string& name, const std::string& spelling) {
  // Asked first, as cctz remembers what was not there.
  if (!has_file(name)) refuse(name, "not in the tz database of this host; a name is like America/New_York");
  cctz::time_zone zone;
  if (!cctz::load_time_zone(spelling, &zone))
    refuse(name,
           "its file in the tz database of this host is damaged, or of a kind that cctz does not read: use zic -b fat");
  // A day before and after the years of schedules: local time may be ahead of UTC, or late.
  constexpr std::int64_t begin = -2 * detail::seconds_a_day;
  constexpr std::int64_t end = (detail::day_count + 2) * detail::seconds_a_day;
  auto rules = std::make_shared<detail::zone_rules>();
  rules->name = name;
  std::int64_t at = begin, offset = zone.lookup(cctz_time(cctz::seconds(begin))).offset;
  rules->add(at, offset);
  cctz::time_zone::civil_transition change;
  while (at < end && zone.next_transition(cctz_time(cctz::seconds(at)), &change)) {
    at = number_of(change.from) - offset;
    offset = number_of(change.to) - at;
    rules->add(at, offset);
  }
  return rules;
}

// The zones that this process has read. cctz remembers each name for ever, so a file is read again by another spelling
// of the same path: a path may have `./` and further slashes before any name.
class zone_cache {
 public:
  rules_pointer get(const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (const auto known = zones_.find(name); known != zones_.end()) return known->second;
    return read(name);
  }

  rules_pointer read_again(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return read(name);
  }

 private:
  rules_pointer read(const std::string& name) {
    ++readings_;
    return zones_[name] = read_zone(name, spelling(name));
  }
  // The count of readings in binary: `./` for a one, `.//` for a zero.
  std::string spelling(const std::string& name) const {
    std::string prefix;
    for (std::uint64_t rest = readings_; rest != 0; rest /= 2) prefix += rest % 2 != 0 ? "./" : ".//";
    return prefix + name;
  }

  std::mutex mutex_;
  std::map<std::string, rules_pointer> zones_;
  std::uint64_t readings_ = 0;
};

zone_cache& zones() {
  static zone_cache all;
  return all;
}

}  // namespace

time_zone::time_zone(rules_pointer rules) noexcept : rules_(std::move(rules)) {}

time_zone time_zone::load(std::string_view name) {
  if (!is_zone_name(name)) refuse(name, "not a name of the tz database, which is like America/New_York");
  if (name == detail::utc_rules().name) return {};
  return time_zone(zones().get(std::string(name)));
}

time_zone time_zone::reloaded() const { return rules_ ? time_zone(zones().read_again(rules_->name)) : *this; }

const std::string& time_zone::name() const noexcept { return rules().name; }

std::chrono::seconds time_zone::offset(wall_time at) const noexcept {
  const std::int64_t instant = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
  return std::chrono::seconds(rules().segments[rules().index_at(instant)].offset);
}

const detail::zone_rules& time_zone::rules() const noexcept { return rules_ ? *rules_ : detail::utc_rules(); }

}  // namespace detent
