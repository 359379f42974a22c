// SPDX-License-Identifier: MIT
#pragma once
#include <detent/durable_store.hpp>

#include <memory>
#include <string>

namespace detent::tool {

// Opens an existing store. Throws detent::error, and input_error in a build without PostgreSQL.
std::shared_ptr<durable::store> open_postgres(const std::string& url, bool read_only);
// Makes the schema, or brings it up to date. Throws input_error.
void migrate_postgres(const std::string& url);
// Returns the SQL that does so. Throws input_error in a build without PostgreSQL.
std::string postgres_script();

}  // namespace detent::tool
