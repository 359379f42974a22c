// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>

namespace detent::detail {

// A zone's file that cannot be used. what() continues a line after "its file ".
class bad_zone_file : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace detent::detail
