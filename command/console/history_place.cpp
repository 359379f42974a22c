// SPDX-License-Identifier: MIT
#include "console/history_place.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "text/input_error.hpp"

namespace detent::tool {
namespace {

// Ignores relative paths, as the XDG Base Directory Specification demands.
std::filesystem::path absolute_in(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return {};
  const std::string_view first = std::string_view(value).substr(0, std::string_view(value).find(':'));
  std::filesystem::path path(first);
  return path.is_absolute() ? path : std::filesystem::path();
}

// Makes the directories. Returns an empty path if there is no such place.
std::filesystem::path own_place() {
  if (auto state = absolute_in("STATE_DIRECTORY"); !state.empty()) return state / "console.history";
  std::filesystem::path state = absolute_in("XDG_STATE_HOME");
  if (state.empty()) {
    const std::filesystem::path home = absolute_in("HOME");
    if (home.empty()) return {};
    state = home / ".local" / "state";
  }
  std::error_code trouble;  // opening the file reports it
  std::filesystem::create_directories(state / "detent", trouble);
  return state / "detent" / "console.history";
}

}  // namespace

opened_history open_history(const std::string& name, std::chrono::microseconds length) {
  if (name == "none") return {};
  opened_history out;
  try {
    const std::string path = name.empty() ? own_place().string() : name;
    if (path.empty()) throw input_error("--history: there is no place of its own without HOME; name a file");
    out.file = std::make_unique<history_file>("--history", path, length);
    out.note = out.file->note();
  } catch (const input_error& refused) {
    if (!name.empty()) throw;
    out.note = std::string(refused.what()) + "; until then the history ends with this console";
  }
  return out;
}

}  // namespace detent::tool
