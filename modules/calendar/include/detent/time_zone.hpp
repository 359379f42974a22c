// SPDX-License-Identifier: MIT
// Time zones of the host's tz database.
#pragma once

#include <detent/wall_time.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace detent::detail {
struct zone_rules;
}

namespace detent {

// A time zone with its rules from 1970 to 2200. Immutable, one shared pointer; any thread.
class time_zone {
 public:
  // UTC. Does not allocate and does not read a file.
  time_zone() noexcept = default;
  // A zone by its name in the tz database, such as "America/New_York"; TZDIR is honoured. A name is read once in a
  // process, until reloaded(). Throws error with unknown_zone, also for a name that looks like a path, and for a file
  // that is damaged or ends before 2200. Throws bad_alloc. Costs some 20 us the first time.
  static time_zone load(std::string_view name);

  const std::string& name() const noexcept;
  // How far local time is ahead of UTC at that instant.
  std::chrono::seconds offset(wall_time at) const noexcept;

  // Reads the zone's file again and returns the result; later load() calls get it as well. Throws as load() does.
  time_zone reloaded() const;

  // For the matcher. Never null.
  const detail::zone_rules& rules() const noexcept;

  // Zones are equal if they have the same name and come from the same reading of the file.
  friend bool operator==(const time_zone&, const time_zone&) noexcept = default;

 private:
  explicit time_zone(std::shared_ptr<const detail::zone_rules> rules) noexcept;

  std::shared_ptr<const detail::zone_rules> rules_;  // null: UTC
};

}  // namespace detent
