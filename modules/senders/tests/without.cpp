// SPDX-License-Identifier: MIT
// Where there are no senders: the header compiles.
#include <detent/senders.hpp>

static_assert(!DETENT_HAS_SENDERS);
