// SPDX-License-Identifier: MIT
// For scripts.cpp, which lists them.
#pragma once

#include "scripts.hpp"

namespace detent::durable::redis {

extern const char put_text[];
extern const char end_text[];
extern const char cancel_text[];
extern const char answers_text[];
extern const char revive_text[];
extern const char list_text[];
extern const char look_text[];

}  // namespace detent::durable::redis
