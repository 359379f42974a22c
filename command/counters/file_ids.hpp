// SPDX-License-Identifier: MIT
#pragma once
#include <sys/stat.h>

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "counters/counters_file.hpp"

namespace detent::tool {

// A set of files. Device and inode identify a file, because it may have several names.
class file_ids {
 public:
  using id = std::pair<dev_t, ino_t>;

  // A link that was found is refused when it is opened, so it must not count as the file that it leads to. Returns
  // nothing if there is no such file.
  static std::optional<id> of(const std::string& path, path_origin origin) {
    struct stat status = {};
    const int looked = origin == path_origin::found ? ::lstat(path.c_str(), &status) : ::stat(path.c_str(), &status);
    return looked == 0 ? std::optional(id(status.st_dev, status.st_ino)) : std::nullopt;
  }
  bool hold(const std::optional<id>& file) const { return file && held_.contains(*file); }
  void add(const std::optional<id>& file) {
    if (file) held_.insert(*file);
  }

 private:
  std::set<id> held_;
};

}  // namespace detent::tool
