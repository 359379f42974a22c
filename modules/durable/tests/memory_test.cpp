// SPDX-License-Identifier: MIT
#include "conformance_suite.hpp"

#include <detent/durable_memory.hpp>

namespace durable_test {
namespace {

class memory_bed {
 public:
  static constexpr bool terms_survive_crash = true;

  store& get() { return *store_; }
  void crash() { store_ = data_.connect(); }

 private:
  memory data_{bed_shards};
  std::shared_ptr<store> store_ = data_.connect();
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(memory, StoreConformance, memory_bed);
INSTANTIATE_TYPED_TEST_SUITE_P(memory, StoreSuccessors, memory_bed);

}  // namespace durable_test
