// SPDX-License-Identifier: MIT
// A file of its own for each test.
#pragma once

#include "conformance.hpp"

#include <detent/durable_sqlite.hpp>

#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>

namespace durable_test {

class temporary_directory {
 public:
  temporary_directory() {
    std::string name = (std::filesystem::temp_directory_path() / "detent-durable-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;
  ~temporary_directory() { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// The process has the file alone: when it is gone, its terms are.
class sqlite_bed {
 public:
  static constexpr bool terms_survive_crash = false;

  store& get() { return *store_; }
  void crash() {
    store_.reset();
    store_ = open();
  }

 private:
  std::shared_ptr<store> open() const {
    return sqlite_store(directory_.file("timers"),
                        {.durability = sqlite_options::sync::at_checkpoints, .shards = bed_shards});
  }

  temporary_directory directory_;
  std::shared_ptr<store> store_ = open();
};

}  // namespace durable_test
