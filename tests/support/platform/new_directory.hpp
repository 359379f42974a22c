// SPDX-License-Identifier: MIT
#pragma once
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

namespace detent::test {

// Makes a new directory whose path begins with `begins`.
inline std::string new_directory(const std::string& begins) {
#if defined(__linux__)
  std::string path = begins + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) std::abort();
  return path;
#else
  while (true) {
    const std::string path = begins + std::to_string(std::random_device()());
    if (std::filesystem::create_directory(path)) return path;
  }
#endif
}

}  // namespace detent::test
