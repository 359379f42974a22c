// SPDX-License-Identifier: MIT
// A statement of the doctor about one thing.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace detent::tool {

enum class severity : std::uint8_t {  // worst first
  bad,                                // makes timers late now, or will with what was asked for
  warning,                            // costs precision as soon as something else happens
  note,                               // good to know
  unknown,                            // what would show it cannot be read
  fine
};

struct finding {
  std::string subject;
  severity judged = severity::fine;
  std::string seen;
  std::string where = {};    // the file it was seen in; empty where it was measured
  std::string meaning = {};  // for timers; empty where all is fine
  std::string cure = {};     // what to do, mostly a command; empty where all is fine
};

inline bool any_bad(const std::vector<finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const finding& f) { return f.judged == severity::bad; });
}

// The file cannot be read, or does not exist.
finding not_visible(std::string subject, const std::string& file);
// The file is there and says something else than expected.
finding not_understood(std::string subject, const std::string& file, const std::string& text);

}  // namespace detent::tool
