// SPDX-License-Identifier: MIT
// Arguments that no recipe can work with.
#pragma once

#include <detent/error.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>

namespace detent::recipes::detail {

// `line` names the recipe, the option, its value and the cure.
[[noreturn]] inline void refuse_option(const std::string& line) { throw error(errc::invalid_option, line); }

// A function object that may be empty, as a pointer or a std::function may be. A lambda may not.
template <class F>
concept nullable = std::is_constructible_v<F, std::nullptr_t> && requires(const F& f) {
  { f == nullptr } -> std::convertible_to<bool>;
};

// Returns `f`, or throws if it is empty. `name` names the recipe and the argument.
template <class F>
F&& not_null(const char* name, F&& f) {
  if constexpr (nullable<std::remove_cvref_t<F>>) {
    if (f == nullptr) refuse_option(std::string(name) + " = null: must be a function");
  }
  return static_cast<F&&>(f);
}

}  // namespace detent::recipes::detail
