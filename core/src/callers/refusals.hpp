// SPDX-License-Identifier: MIT
// The messages of an engine's calls that are refused.
#pragma once

#include <detent/error.hpp>

#include "callers/engine_core.hpp"

#include <string>

namespace detent::detail {

// Of a timer or a group.
inline constexpr const char* foreign_executor =
    "executor: none of this engine's; add it to engine_options::executors, or name on_driver()";

// `engine "gateway": `, with which each line begins.
std::string prefix_of(const engine_core& core);
// Why any call was refused, and the cure. A call explains by itself the problems that it alone can meet.
std::string explain(const engine_core& core, errc problem);
// `call`, as "stop()".
[[noreturn]] void refuse(const engine_core& core, const char* call, errc problem);

}  // namespace detent::detail
