// SPDX-License-Identifier: MIT
// A statement of the doctor about one thing.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace detent::tool {

enum class severity : std::uint8_t {  // worst first
  bad,                                // makes timers late now, or will with the given options
  warning,                            // costs precision as soon as something else happens
  note,                               // good to know
  unknown,                            // cannot be known, because a file cannot be read
  fine
};

struct finding {
  std::string subject;
  severity judged = severity::fine;
  std::string seen;
  std::string where = {};    // the file that shows it; empty if it was measured
  std::string meaning = {};  // its meaning for timers; empty if all is fine
  std::string cure = {};     // mostly a command; empty if all is fine
};

inline bool any_bad(const std::vector<finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const finding& f) { return f.judged == severity::bad; });
}

// For a file that cannot be read or does not exist.
finding not_visible(std::string subject, const std::string& file);
// For a file with unexpected contents.
finding not_understood(std::string subject, const std::string& file, const std::string& text);

}  // namespace detent::tool
