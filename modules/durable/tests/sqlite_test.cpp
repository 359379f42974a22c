// SPDX-License-Identifier: MIT
#include "conformance_suite.hpp"
#include "sqlite_bed.hpp"

namespace durable_test {
INSTANTIATE_TYPED_TEST_SUITE_P(sqlite, StoreConformance, sqlite_bed);
INSTANTIATE_TYPED_TEST_SUITE_P(sqlite, StoreSuccessors, sqlite_bed);
}  // namespace durable_test
