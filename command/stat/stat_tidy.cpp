// SPDX-License-Identifier: MIT
#include "stat/stat_tidy.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "counters/counters_file.hpp"
#include "counters/counters_search.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

void tidy(const std::string& path, stat_result& result) {
  reading_budget budget;
  const counters_snapshot left = counters_file(path, path_origin::found).read(budget);
  const std::string absence = absence_of_owner(left);
  if (absence.empty()) return;
  if (::unlink(path.c_str()) == 0) {
    result.text += fmt::format("removed {}: engine {}, {}\n", left.identity.path, left.identity.name, absence);
  } else if (errno != ENOENT) {  // otherwise another process is tidying at the same time
    result.complaints.push_back(fmt::format("{}: cannot be removed: {}", left.identity.path, std::strerror(errno)));
    result.failed = true;
  }
}

}  // namespace

stat_result tidy_stat(const std::string& directory) {
  stat_result result;
  for (const std::string& path : automatic_files_of_host(directory)) {
    try {
      tidy(path, result);
    } catch (const input_error& trouble) {
      result.complaints.push_back(trouble.what());
    }
  }
  if (result.text.empty() && result.complaints.empty()) result.text = "No counters file of a killed process is left.\n";
  return result;
}

}  // namespace detent::tool
