// SPDX-License-Identifier: MIT
#pragma once

#include <detent/error.hpp>

#include <string>
#include <system_error>

namespace detent::drive {

// How a call failed: its code, and what() of the exception. No code means that it did not fail.
struct problem {
  std::error_code code;
  std::string what;
  bool names(const std::string& part) const { return what.find(part) != std::string::npos; }
};

template <class Call>
problem problem_of(Call&& call) {
  try {
    call();
  } catch (const error& failure) {
    return {failure.code(), failure.what()};
  }
  return {};
}

}  // namespace detent::drive
