// SPDX-License-Identifier: MIT
// Without senders, the header still compiles.
#include <detent/senders.hpp>

static_assert(!DETENT_HAS_SENDERS);
