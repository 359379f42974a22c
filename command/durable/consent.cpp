// SPDX-License-Identifier: MIT
#include "durable/consent.hpp"

#include <unistd.h>

#include <cstdio>

#include "text/complaint.hpp"
#include "text/input_error.hpp"

namespace detent::tool {

bool has_consent(const std::string& what, bool yes) {
  if (yes) return true;
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0)
    throw input_error("durable: this would " + what +
                      ": nothing was changed, because there is no terminal to ask on; --yes does it without asking");
  complain("this will " + what + ". Go on? [y/N]");
  std::string line;
  for (int each = std::getchar(); each != EOF && each != '\n'; each = std::getchar()) line += static_cast<char>(each);
  return line == "y" || line == "Y" || line == "yes";
}

}  // namespace detent::tool
