// SPDX-License-Identifier: MIT
#pragma once
#include <detent/durable_store.hpp>

#include <memory>
#include <string>

namespace detent::tool {

// The store that --store names. To look at it alone, where it can be distinguished. Throws input_error.
std::shared_ptr<durable::store> open_store(const std::string& name, bool read_only);

}  // namespace detent::tool
