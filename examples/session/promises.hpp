// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace session {

// One line; returns whether it was kept.
inline bool promise(bool kept, std::string_view what) {
  fmt::print("  {:5} {}\n", kept ? "yes" : "NO", what);
  return kept;
}

}  // namespace session
