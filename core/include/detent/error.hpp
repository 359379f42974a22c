// SPDX-License-Identifier: MIT
#pragma once

#include <system_error>

namespace detent {

enum class errc {
  capacity_exceeded = 1,
  stopped,
  invalid_option,
  invalid_period,
  called_from_callback,
  wrong_drive,
  forked,
  not_permitted,
  out_of_memory
};

const std::error_category& error_category() noexcept;
std::error_code make_error_code(errc) noexcept;

// What set-up and the throwing calls throw; what() names the option and the value.
class error : public std::system_error {
 public:
  using std::system_error::system_error;
};

}  // namespace detent

template <>
struct std::is_error_code_enum<detent::errc> : std::true_type {};
