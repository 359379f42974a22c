// SPDX-License-Identifier: MIT
#include <detent/calendar_error.hpp>
#include <detent/time_zone.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "bad_zone_file.hpp"
#include "message.hpp"
#include "zone_file.hpp"
#include "zone_rules.hpp"

namespace detent {
namespace {

using rules_pointer = std::shared_ptr<const detail::zone_rules>;

[[noreturn]] void refuse(std::string_view name, const std::string& why) {
  throw error(calendar_errc::unknown_zone, "time zone " + detail::in_quotes(name) + ": " + why);
}

// A name consists of words between single slashes, so it cannot leave the database or name a file elsewhere.
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

// Reads at most `most` bytes of the file, and one more.
std::string bytes_of(const std::filesystem::path& file, std::size_t most) {
  std::ifstream from(file, std::ios::binary);
  std::string bytes(most + 1, '\0');
  from.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!from.is_open() || from.bad()) throw detail::bad_zone_file("cannot be read");
  bytes.resize(static_cast<std::size_t>(from.gcount()));
  return bytes;
}

rules_pointer read_zone(const std::string& name) {
  constexpr std::size_t longest = std::size_t{1} << 18;  // a hundred times the size of files that zic makes
  const char* const set = std::getenv("TZDIR");
  const std::filesystem::path database = set != nullptr && *set != '\0' ? set : "/usr/share/zoneinfo";
  std::error_code trouble;
  if (!std::filesystem::is_regular_file(database / name, trouble))
    refuse(name, "not in the tz database of this host; a name is like America/New_York");
  try {
    const std::string bytes = bytes_of(database / name, longest);
    if (bytes.size() > longest) throw detail::bad_zone_file("is damaged: it is longer than 256 KiB");
    return std::make_shared<const detail::zone_rules>(detail::zone_rules{name, detail::read_zone_file(bytes)});
  } catch (const detail::bad_zone_file& problem) {
    refuse(name, "its file " + detail::in_quotes((database / name).string()) + " " + problem.what());
  }
}

// The zones that this process has read.
class zone_cache {
 public:
  rules_pointer get(const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (const auto known = zones_.find(name); known != zones_.end()) return known->second;
    return zones_[name] = read_zone(name);
  }

  rules_pointer read_again(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return zones_[name] = read_zone(name);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, rules_pointer> zones_;
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
