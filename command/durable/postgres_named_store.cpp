// SPDX-License-Identifier: MIT
#include "durable/postgres_named_store.hpp"

#include <detent/durable_postgres.hpp>

#include <chrono>

#include "text/input_error.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

constexpr auto patience = std::chrono::seconds(2);  // of a person; a node has less, because it must renew a lease

}  // namespace

std::shared_ptr<durable::store> open_postgres(const std::string& url, bool read_only) {
  return durable::postgres_store(url, {.patience = patience, .make_schema = false, .read_only = read_only});
}

void migrate_postgres(const std::string& url) {
  try {
    // A large store may take a long time.
    durable::postgres_store(url, {.patience = std::chrono::minutes(1)});
  } catch (const error& refused) {
    throw input_error("durable: " + printable(refused.what()));
  }
}

std::string postgres_script() { return std::string(durable::postgres_schema()); }

}  // namespace detent::tool
