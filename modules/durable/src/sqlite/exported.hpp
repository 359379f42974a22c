// SPDX-License-Identifier: MIT
// Like ../exported.hpp, for the library of this store.
#pragma once

#pragma GCC visibility push(default)
#include <detent/durable_sqlite.hpp>
#pragma GCC visibility pop
