// SPDX-License-Identifier: MIT
#pragma once
#include <detent/durable_store.hpp>

#include <memory>
#include <string>

namespace detent::tool {

// A store that is there: none is made. Throws detent::error, and input_error in a build without PostgreSQL.
std::shared_ptr<durable::store> open_postgres(const std::string& url, bool read_only);
// Makes the schema, or brings it up to date. Throws input_error.
void migrate_postgres(const std::string& url);
// The SQL that does so. Throws input_error in a build without PostgreSQL.
std::string postgres_script();

}  // namespace detent::tool
