// SPDX-License-Identifier: MIT
#pragma once

#include <detent/detent.h>
#include <detent/options.hpp>

namespace detent::c {

// Converts the options of a C program. Throws errc::invalid_option that names the option and the value if a number
// stands for no enumerator; the engine checks everything else.
engine_options translate(const detent_options& from);

}  // namespace detent::c
