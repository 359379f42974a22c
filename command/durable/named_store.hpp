// SPDX-License-Identifier: MIT
#pragma once
#include <detent/durable_store.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace detent::tool {

enum class store_use : std::uint8_t {
  look,    // a call that would change the store is not_permitted
  change,  // what is there
  fill     // an empty file becomes a store
};

// The store that --store names: an SQLite file, or a URL as in store_url.hpp. It must be there already. Throws
// input_error, without passwords.
std::shared_ptr<durable::store> open_store(const std::string& name, store_use use);

// A store to look at for long. A file may be removed, or replaced by another one of its name: then that one is read.
// One thread at a time.
class watched_store {
 public:
  // As open_store(), to look at it.
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
