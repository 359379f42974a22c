// SPDX-License-Identifier: MIT
// A file without a name in any directory, for readers that take a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "search/fuzz/target.hpp"

namespace detent::fuzz {

class memory_file {
 public:
  explicit memory_file(std::string_view content) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    require(descriptor_ >= 0, "memfd_create", "refused");
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      require(written > 0, "write", "refused");
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  ~memory_file() { ::close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace detent::fuzz
