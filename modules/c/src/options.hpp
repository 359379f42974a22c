// SPDX-License-Identifier: MIT
#pragma once

#include <detent/detent.h>
#include <detent/options.hpp>

namespace detent::c {

// The engine's options as a C program filled them in. Throws errc::invalid_option, naming the option and the value,
// where a number stands for nothing; what a number means is checked by the engine.
engine_options translate(const detent_options& from);

}  // namespace detent::c
