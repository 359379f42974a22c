// SPDX-License-Identifier: MIT
#include "durable/named_store.hpp"

#include <detent/durable_sqlite.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <utility>

#include "durable/postgres_named_store.hpp"
#include "durable/redis_named_store.hpp"
#include "durable/store_url.hpp"
#include "text/input_error.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {

namespace {

// SQLite would wait for the other end of a pipe, and would make a store of an empty file.
void check_file(const std::string& name, store_use use) {
  namespace files = std::filesystem;
  const auto refuse = [&](const char* why) { throw input_error("durable: " + in_quotes(name) + ": " + why); };
  std::error_code unknown;
  const files::file_status its = files::status(name, unknown);
  if (!files::exists(its)) refuse("no such file");
  if (!files::is_regular_file(its)) refuse("it is not a regular file, as a store is");
  if (use == store_use::change && files::file_size(name, unknown) == 0)
    refuse("the file is empty: no timers were ever stored here");
}

}  // namespace

std::shared_ptr<durable::store> open_store(const std::string& name, store_use use) {
  const bool read_only = use == store_use::look;
  try {
    if (is_postgres(name)) return open_postgres(name, read_only);
    if (is_url(name)) return open_redis(place_of(name), read_only);
    check_file(name, use);
    return durable::sqlite_store(name, {.read_only = read_only});
  } catch (const error& refused) {
    throw input_error("durable: " + printable(refused.what()));
  }
}

watched_store::watched_store(std::string name)
    : name_(std::move(name)), file_(file_now()), store_(open_store(name_, store_use::look)) {}

std::optional<watched_store::file_id> watched_store::file_now() const {
  struct stat its = {};
  if (is_url(name_) || ::stat(name_.c_str(), &its) != 0) return {};
  return file_id{its.st_dev, its.st_ino};
}

durable::store& watched_store::current() {
  if (is_url(name_)) return *store_;
  // As long as the file is open, no other file gets its inode.
  const std::optional<file_id> now = file_now();
  if (!now || now != file_) {
    std::shared_ptr<durable::store> opened = open_store(name_, store_use::look);
    store_ = std::move(opened);
    file_ = now;
  }
  return *store_;
}

}  // namespace detent::tool
