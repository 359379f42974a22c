// SPDX-License-Identifier: MIT
#pragma once
#include <detent/durable_store.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace detent::tool {

enum class store_use : std::uint8_t {
  look,    // calls that would change the store return not_permitted
  change,  // an existing store
  fill     // like change, and an empty file becomes a store
};

// Opens the store that --store names: an SQLite file, or a URL as in store_url.hpp. The store must exist. Throws
// input_error, whose text never has a password.
std::shared_ptr<durable::store> open_store(const std::string& name, store_use use);

// A store to be looked at for a long time. If its file is removed or replaced by another file of the same name, that
// one is read. Used by one thread at a time.
class watched_store {
 public:
  // Opens the store as open_store() does, for looking.
  explicit watched_store(std::string name);

  // The store that has the name now. Throws input_error if there is none.
  durable::store& current();

 private:
  struct file_id {
    std::uint64_t device = 0, inode = 0;
    friend bool operator==(const file_id&, const file_id&) = default;
  };
  std::optional<file_id> file_now() const;

  const std::string name_;
  std::optional<file_id> file_;  // empty if it is not a file
  std::shared_ptr<durable::store> store_;
};

}  // namespace detent::tool
