// SPDX-License-Identifier: MIT
// The suite that every store passes.
#include "named_store.hpp"
#include "postgres_server.hpp"

#include <detent/durable_postgres.hpp>

#include "../conformance_suite.hpp"
#include "../lookups_suite.hpp"

#include <memory>
#include <string>

namespace durable_test {

// One server for all, with a database for each test. Terms are the server's: they outlive who took them.
class postgres_bed {
 public:
  static constexpr bool terms_survive_crash = true;
  static constexpr bool keys_are_text = true;

  postgres_bed() { begin(); }
  store& get() { return *store_; }
  std::shared_ptr<store> connect() const {
    return postgres_store(detent::test::shared_postgres().url(database_), {.shards = bed_shards});
  }
  void crash() {
    store_.reset();
    store_ = open();
  }

 private:
  // A test whose fixture is skipped does not run.
  void begin() {
    DETENT_NEED_POSTGRES();
    database_ = detent::test::shared_postgres().make_database();
    store_ = open();
  }
  std::shared_ptr<store> open() const { return std::make_shared<named_store>(connect()); }

  std::string database_;
  std::shared_ptr<store> store_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(postgres, StoreConformance, postgres_bed);
INSTANTIATE_TYPED_TEST_SUITE_P(postgres, StoreSuccessors, postgres_bed);
INSTANTIATE_TYPED_TEST_SUITE_P(postgres, LookUps, postgres_bed);

}  // namespace durable_test
