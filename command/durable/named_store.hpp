// SPDX-License-Identifier: MIT
#pragma once
#include <detent/durable_store.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace detent::tool {

// The store that --store names: an SQLite file, or a URL as in store_url.hpp. It must be there already, except for
// an empty file. With `read_only`, a call that would change the store is not_permitted. Throws input_error, without
// passwords.
std::shared_ptr<durable::store> open_store(const std::string& name, bool read_only);

// A store to look at for long. A file may be removed, or replaced by another one of its name: then that one is read.
// One thread at a time.
class watched_store {
 public:
  // As open_store(), read-only.
  explicit watched_store(std::string name);

  // The store that has the name now. Throws input_error where there is none.
  durable::store& current();

 private:
  struct file_id {
    std::uint64_t device = 0, inode = 0;
    friend bool operator==(const file_id&, const file_id&) = default;
  };
  std::optional<file_id> file_now() const;

  const std::string name_;
  std::optional<file_id> file_;  // none: it is no file
  std::shared_ptr<durable::store> store_;
};

}  // namespace detent::tool
