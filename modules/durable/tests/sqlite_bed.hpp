// SPDX-License-Identifier: MIT
// A file of its own for each test.
#pragma once

#include "conformance.hpp"
#include "temporary_directory.hpp"

#include <detent/durable_sqlite.hpp>

#include <memory>
#include <string>

namespace durable_test {

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
