// SPDX-License-Identifier: MIT
// A file in place of /dev/cpu_dma_latency, which keeps all that is written to it.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/temporary_directory.hpp"

namespace detent::test {

class latency_device {
 public:
  static constexpr std::int32_t no_limit = 2'000'000'000;  // the kernel's initial value

  latency_device() { directory_.write(name, ""); }
  std::string path() const { return directory_.path() + "/" + name; }
  // Returns the values in the order of the writes.
  std::vector<std::int32_t> written() const {
    std::ifstream file(path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::int32_t> out(bytes.size() / sizeof(std::int32_t));
    if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(std::int32_t));
    return out;
  }

 private:
  static constexpr const char* name = "device";
  temporary_directory directory_;
};

}  // namespace detent::test
