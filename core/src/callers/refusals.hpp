// SPDX-License-Identifier: MIT
// The messages of calls that an engine refuses.
#pragma once

#include <detent/error.hpp>

#include "callers/engine_core.hpp"

#include <string>

namespace detent::detail {

// For a timer or a group.
inline constexpr const char* foreign_executor =
    "executor: none of this engine's; add it to engine_options::executors, or name on_driver()";

// Returns `engine "gateway": `, with which each line begins.
std::string prefix_of(const engine_core& core);
// Returns why any call was refused, and the cure. A call itself explains the problems that only it can meet.
std::string explain(const engine_core& core, errc problem);
// `call` is written like "stop()".
[[noreturn]] void refuse(const engine_core& core, const char* call, errc problem);

}  // namespace detent::detail
