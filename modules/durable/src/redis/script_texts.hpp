// SPDX-License-Identifier: MIT
// For scripts.cpp, which lists them.
#pragma once

#include "scripts.hpp"

namespace detent::durable::redis {

extern const char apply_text[];
extern const char answers_text[];
extern const char find_text[];
extern const char by_key_text[];
extern const char walk_text[];
extern const char list_text[];
extern const char purge_text[];
extern const char look_text[];
extern const char count_due_text[];
extern const char deaths_text[];
extern const char look_roll_text[];

}  // namespace detent::durable::redis
