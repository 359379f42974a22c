// SPDX-License-Identifier: MIT
// The library hides everything but what the public headers declare. Included first in each of its sources, by an option
// of the compiler: so everything that a public header comes to declare is exported, and nothing else.
#pragma once

#pragma GCC visibility push(default)
#include <detent/base/compiler.hpp>
#pragma GCC visibility pop

// Public headers name these classes but do not define them.
namespace detent::detail {
class DETENT_HIDDEN engine_core;
class DETENT_HIDDEN group_state;
class DETENT_HIDDEN histogram_recorder;
class DETENT_HIDDEN label_store;
class DETENT_HIDDEN outbox;
class DETENT_HIDDEN run_scope;
class DETENT_HIDDEN shard_map;
}  // namespace detent::detail

#pragma GCC visibility push(default)
#include <detent/detent.h>
#include <detent/detent.hpp>
#include <detent/sharded_engine.hpp>
#pragma GCC visibility pop
