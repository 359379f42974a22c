// SPDX-License-Identifier: MIT
// In place of the store on PostgreSQL, where libpq is not.
#include "durable/postgres_named_store.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

[[noreturn]] void refuse() {
  throw input_error("durable: this build has no store on PostgreSQL; it needs libpq (Debian: libpq-dev)");
}

}  // namespace

std::shared_ptr<durable::store> open_postgres(const std::string&, bool) { refuse(); }
void migrate_postgres(const std::string&) { refuse(); }
std::string postgres_script() { refuse(); }

}  // namespace detent::tool
