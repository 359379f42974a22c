// SPDX-License-Identifier: MIT
// The library hides everything but what the public header declares. Included first in each of its sources, by an option
// of the compiler.
#pragma once

#pragma GCC visibility push(default)
#include <detent/durable_postgres.hpp>
#pragma GCC visibility pop
