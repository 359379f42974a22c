// SPDX-License-Identifier: MIT
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "support/platform/new_directory.hpp"

namespace detent::test {

// A directory for one test, removed with the object.
class temporary_directory {
 public:
  temporary_directory() : path_(new_directory(::testing::TempDir() + "detent-")) {}
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;
  ~temporary_directory() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }

  // Writes the file, and its directories. Returns its full path.
  std::string write(std::string_view name, std::string_view content) const {
    const std::filesystem::path file = path_ + "/" + std::string(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file.string();
  }

 private:
  std::string path_;
};

}  // namespace detent::test
