// SPDX-License-Identifier: MIT
// The messages of calls that an engine refuses.
#pragma once

#include <detent/detail/schedule.hpp>
#include <detent/error.hpp>

#include "callers/engine_core.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace detent::detail {

// The condition that a call does not meet. `other` means that its errc says everything.
enum class obstacle : std::uint8_t {
  other,
  group_ended,
  closed,
  stopped,
  capacity,
  lane,
  slack,
  label,
  executor,
  period,
  no_memory_for_a_timer
};

// Why a call is refused, as plain memory, because an overloaded program would pay more for a sentence than for the
// refusal.
struct refusal {
  errc problem{};
  obstacle what = obstacle::other;
  std::int64_t value = 0;       // the option's
  std::string_view label = {};  // the name of another engine's label, which is valid for ever
};

// For a timer or a group.
inline constexpr const char* foreign_executor =
    "executor: not one of this engine's; add it to engine_options::executors, or name on_driver()";

// Returns `engine "gateway": `, with which each line begins.
std::string prefix_of(const engine_core& core);
std::string prefix_of(std::string_view engine);
// Returns why a schedule call is refused.
refusal why_refused(const engine_core& core, errc problem, const plan& when) noexcept;
// Returns the sentence, with the cure.
std::string explain(const refusal& why);
// Returns why any call was refused, and the cure. A call itself explains the problems that only it can meet.
std::string explain(const engine_core& core, errc problem);
// `call` is written like "stop()".
[[noreturn]] void refuse(const engine_core& core, const char* call, errc problem);

}  // namespace detent::detail
