// SPDX-License-Identifier: MIT
#include "durable/named_store.hpp"

#include <detent/durable_sqlite.hpp>

#include <filesystem>

#include "durable/redis_named_store.hpp"
#include "durable/store_url.hpp"
#include "text/input_error.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {

std::shared_ptr<durable::store> open_store(const std::string& name, bool read_only) {
  try {
    if (is_url(name)) return open_redis(place_of(name), read_only);
    std::error_code unknown;
    if (!std::filesystem::exists(name, unknown)) throw input_error("durable: " + in_quotes(name) + ": no such file");
    return durable::sqlite_store(name, {.read_only = read_only});
  } catch (const error& refused) {
    throw input_error("durable: " + printable(refused.what()));
  }
}

}  // namespace detent::tool
