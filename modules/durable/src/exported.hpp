// SPDX-License-Identifier: MIT
// The library hides everything but what the public headers declare. Included first in each of its sources, by an option
// of the compiler.
#pragma once

#pragma GCC visibility push(default)
#include <detent/base/compiler.hpp>
#pragma GCC visibility pop

// Public headers name these classes but do not define them.
namespace detent::durable::detail {
class DETENT_HIDDEN node;
class DETENT_HIDDEN run;
class DETENT_HIDDEN memory_data;
}  // namespace detent::durable::detail

#pragma GCC visibility push(default)
#include <detent/durable.hpp>
#include <detent/durable_memory.hpp>
#include <detent/durable_store.hpp>
#include <detent/durable_tokens.hpp>
#pragma GCC visibility pop
