// SPDX-License-Identifier: MIT
#include "durable/named_store.hpp"

#include <detent/durable_sqlite.hpp>

#include <filesystem>

#include "text/input_error.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {

std::shared_ptr<durable::store> open_store(const std::string& name, bool read_only) {
  std::error_code unknown;
  if (!std::filesystem::exists(name, unknown)) throw input_error("durable: " + in_quotes(name) + ": no such file");
  try {
    return durable::sqlite_store(name, {.read_only = read_only});
  } catch (const error& refused) {
    throw input_error("durable: " + printable(refused.what()));
  }
}

}  // namespace detent::tool
