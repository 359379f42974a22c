// SPDX-License-Identifier: MIT
#include "in_postgres.hpp"

#include <stdexcept>

namespace chaos {
namespace {

constexpr const char* why = "this was built without detent::durable_postgres (Debian: libpq-dev)";

}  // namespace

std::shared_ptr<detent::durable::store> in_postgres(const std::string& /*url*/, std::chrono::milliseconds /*patience*/,
                                                    bool /*read_only*/) {
  throw std::runtime_error(why);
}

std::string_view postgres_schema() { throw std::runtime_error(why); }

}  // namespace chaos
