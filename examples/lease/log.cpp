// SPDX-License-Identifier: MIT
#include "log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iterator>
#include <string>

namespace lease {

void log(std::string_view event, std::initializer_list<field> fields, std::string_view why) {
  std::string line(event);
  for (const auto& [key, value] : fields) fmt::format_to(std::back_inserter(line), " {}={}", key, value);
  if (!why.empty()) fmt::format_to(std::back_inserter(line), " why={}", why);
  line += '\n';
  // One call for one line. A reader that no longer reads them has ended: then so does this program, by SIGPIPE.
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, line.data(), line.size());
}

}  // namespace lease
