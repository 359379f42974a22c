// SPDX-License-Identifier: MIT
// In place of the reader and of look-ups, where there are no stores to read.
#include "console/store_lookups.hpp"
#include "console/store_reader.hpp"
#include "text/input_error.hpp"

namespace detent::tool {

class store_reader::content {};

store_reader::store_reader(const std::string&) {
  throw input_error(
      "--store: this build has no durable timers; they need the calendar and sqlite3 (Debian: libsqlite3-dev)");
}

store_reader::~store_reader() = default;

const console_store& store_reader::last() const {
  static const console_store none;
  return none;
}

const console_store& store_reader::read() { return last(); }

class store_lookups::content {};

store_lookups::store_lookups(const std::string&) {}  // the reader has refused before

store_lookups::~store_lookups() = default;

console_search store_lookups::search(const std::string&) { return {}; }

console_opening store_lookups::open(const std::string&, const std::string&) { return {}; }

void store_lookups::work() {}

}  // namespace detent::tool
