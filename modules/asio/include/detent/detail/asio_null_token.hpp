// SPDX-License-Identifier: MIT
// Tokens that are no function, refused before an operation begins.
#pragma once

#include <detent/error.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace detent::detail {

// Throws invalid_option for a null pointer to a function, an empty std::function and the like. `call` is for the error.
template <class Token>
void refuse_null(const char* call, const Token& token) {
  if constexpr (std::is_constructible_v<Token, std::nullptr_t> && requires { static_cast<bool>(token == nullptr); }) {
    if (token == nullptr) throw error(errc::invalid_option, std::string(call) + ": token = null: must be a function");
  }
}

}  // namespace detent::detail
