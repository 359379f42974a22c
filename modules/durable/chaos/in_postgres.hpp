// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_store.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace chaos {

// with_postgres.cpp, or without_postgres.cpp, which throws. Nodes make no schema, as the driver does.
std::shared_ptr<detent::durable::store> in_postgres(const std::string& url, std::chrono::milliseconds patience,
                                                    bool read_only);
std::string_view postgres_schema();

}  // namespace chaos
