// SPDX-License-Identifier: MIT
#include "in_postgres.hpp"

#include <detent/durable_postgres.hpp>

namespace chaos {

std::shared_ptr<detent::durable::store> in_postgres(const std::string& url, std::chrono::milliseconds patience,
                                                    bool read_only) {
  detent::durable::postgres_options on;
  on.patience = patience;
  on.make_schema = false;
  on.read_only = read_only;
  return detent::durable::postgres_store(url, on);
}

std::string_view postgres_schema() { return detent::durable::postgres_schema(); }

}  // namespace chaos
