// SPDX-License-Identifier: MIT
// The suite that every store passes.
#include "redis_server.hpp"

#include <detent/durable_redis.hpp>

#include "../conformance_suite.hpp"
#include "../lookups_suite.hpp"

#include <memory>
#include <stdexcept>
#include <string>

namespace durable_test {

// One server for all, with a prefix for each test. Terms are the server's: they outlive who took them.
class redis_bed {
 public:
  static constexpr bool terms_survive_crash = true;

  redis_bed() : server_(shared()), prefix_("t" + std::to_string(++count())), store_(open()) {}
  store& get() { return *store_; }
  std::shared_ptr<store> connect() const { return open(); }
  void crash() { store_ = open(); }

 private:
  static std::shared_ptr<detent::test::redis_server> shared() {
    static std::weak_ptr<detent::test::redis_server> running;
    static std::shared_ptr<detent::test::redis_server> kept;
    if (running.expired()) running = kept = std::make_shared<detent::test::redis_server>();
    return kept;
  }
  static int& count() {
    static int number = 0;
    return number;
  }
  std::shared_ptr<store> open() const {
    return redis_store(server_->path(), {.prefix = prefix_, .shards = bed_shards});
  }

  const std::shared_ptr<detent::test::redis_server> server_;
  const std::string prefix_;
  std::shared_ptr<store> store_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(redis, StoreConformance, redis_bed);
INSTANTIATE_TYPED_TEST_SUITE_P(redis, StoreSuccessors, redis_bed);
INSTANTIATE_TYPED_TEST_SUITE_P(redis, LookUps, redis_bed);

}  // namespace durable_test
