// SPDX-License-Identifier: MIT
// The library hides everything but what the public headers declare. Included first in each of its sources, by an option
// of the compiler: so everything that a public header comes to declare is exported, and nothing else.
#pragma once

// Public headers name these classes, but do not declare their contents.
namespace detent::detail {
class [[gnu::visibility("hidden")]] engine_core;
class [[gnu::visibility("hidden")]] group_state;
class [[gnu::visibility("hidden")]] histogram_recorder;
class [[gnu::visibility("hidden")]] label_store;
class [[gnu::visibility("hidden")]] outbox;
class [[gnu::visibility("hidden")]] run_scope;
class [[gnu::visibility("hidden")]] shard_map;
}  // namespace detent::detail

#pragma GCC visibility push(default)
#include <detent/detent.h>
#include <detent/detent.hpp>
#include <detent/sharded_engine.hpp>
#pragma GCC visibility pop
