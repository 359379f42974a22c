// SPDX-License-Identifier: MIT
#pragma once
#include <detent/durable_store.hpp>

#include <memory>
#include <string>

namespace detent::tool {

// The store that --store names: an SQLite file, or a URL as in store_url.hpp. It has to be there already, except for
// an empty file. With `read_only`, a call that would change the store is not_permitted. Throws input_error, without
// passwords.
std::shared_ptr<durable::store> open_store(const std::string& name, bool read_only);

}  // namespace detent::tool
