// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace detent::tool {

// A secret that a client must name: either by `Authorization: Bearer TOKEN` (RFC 6750), or, as a browser does after
// asking its user, by `Authorization: Basic` with any name and the token as the password (RFC 7617).
class access_token {
 public:
  // Reads the file that an option names. Throws input_error, with the cure, unless the file belongs to this user, is
  // closed to all others, and holds one line of 16 to 1,024 letters, digits and -._~+/=.
  access_token(std::string_view option, const std::string& path);

  // Returns whether the field names the token. The time that it takes depends only on the field's length, not on which
  // byte is wrong.
  bool admits(std::string_view authorization) const;

 private:
  bool is(std::string_view text) const;

  std::string token_;
};

}  // namespace detent::tool
