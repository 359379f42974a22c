// SPDX-License-Identifier: MIT
// The library hides everything but what the public headers declare. Included first in each of its sources, by an option
// of the compiler.
#pragma once

// Public headers name these classes, but do not declare their contents.
namespace detent::durable::detail {
class [[gnu::visibility("hidden")]] node;
class [[gnu::visibility("hidden")]] run;
class [[gnu::visibility("hidden")]] memory_data;
}  // namespace detent::durable::detail

#pragma GCC visibility push(default)
#include <detent/durable.hpp>
#include <detent/durable_memory.hpp>
#include <detent/durable_store.hpp>
#include <detent/durable_tokens.hpp>
#pragma GCC visibility pop
