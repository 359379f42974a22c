// SPDX-License-Identifier: MIT
// Exceptions end here, and become what detent_last_error() reports.
#pragma once

#include <detent/base/forced_unwind.hpp>
#include <detent/error.hpp>

#include <type_traits>
#include <utility>

namespace detent::c {

// Keeps the exception that is being handled as this thread's last error. Call it only inside a catch block.
void keep_error() noexcept;
void keep_error(errc code, const char* text) noexcept;
// Sets invalid_option as the last error: the argument of that name is null.
void keep_null(const char* name) noexcept;
const char* last_error_text() noexcept;

// Returns whether no pointer is null. If one is, the last error names the first of them; each pointer follows its name.
template <class... Rest>
bool are_given(const char* name, const void* pointer, const Rest&... rest) noexcept {
  if (pointer == nullptr) {
    keep_null(name);
    return false;
  }
  if constexpr (sizeof...(Rest) != 0) return are_given(rest...);
  return true;
}

// Returns the result of `call`. If it throws, returns `failed`, and the exception becomes the last error.
template <class Call>
std::invoke_result_t<Call> guarded(std::type_identity_t<std::invoke_result_t<Call>> failed, Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (const base::forced_unwind&) {
    throw;  // a callback ends the calling thread
  } catch (...) {
    keep_error();
    return failed;
  }
}

}  // namespace detent::c
