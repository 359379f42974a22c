// SPDX-License-Identifier: MIT
// Sets of days: trading days, half days, holidays.
#pragma once

#include <detent/wall_time.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace detent::detail {
struct day_bits;
}

namespace detent {

// A set of civil days from 1970 to 2199, and the last of them that it knows. Immutable, one shared pointer; any thread.
class day_set {
 public:
  static day_set every_day();
  static day_set weekdays();                           // Monday to Friday
  static day_set of(std::span<const civil_day> days);  // these and no others

  // Every day except those that the file lists. It has a line `YYYY-MM-DD` for each, and one line `until YYYY-MM-DD`
  // with the last day that the file knows. `#` begins a comment. The file is not about weekends: `weekdays() &
  // from_file(path)`. Throws error with invalid_days, which names the file and the line.
  static day_set from_file(const std::string& path);
  // Reads that format from `text`; `name` stands for the file in what().
  static day_set from_text(std::string_view text, std::string_view name);

  // Each throws error with invalid_days if a day does not exist, or is not from 1970 to 2199.
  day_set with(std::span<const civil_day> days) const;
  day_set without(std::span<const civil_day> days) const;
  // Returns these days, known until `last` and no longer.
  day_set known_until(civil_day last) const;
  // The days that are in both sets, known as long as both are.
  friend day_set operator&(const day_set& a, const day_set& b);

  // Throws error with days_exhausted for a day after the last known one. Constant time.
  bool contains(civil_day day) const;
  // The last day that it knows; none: it holds for ever.
  std::optional<civil_day> last_known() const noexcept;

  // For the matcher.
  const detail::day_bits& bits() const noexcept { return *bits_; }

 private:
  explicit day_set(std::shared_ptr<const detail::day_bits> bits) noexcept;

  std::shared_ptr<const detail::day_bits> bits_;
};

}  // namespace detent
