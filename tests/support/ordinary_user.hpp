// SPDX-License-Identifier: MIT
#pragma once
#include <unistd.h>

#include <cstdlib>

namespace detent::test {

// As long as this exists, files are as closed to a root process that runs the tests as they are to other users.
class ordinary_user {
 public:
  ordinary_user() {
    if (before_ == 0 && ::seteuid(65'534) != 0) std::abort();
  }
  ordinary_user(const ordinary_user&) = delete;
  ordinary_user& operator=(const ordinary_user&) = delete;
  ~ordinary_user() {
    if (before_ == 0 && ::seteuid(0) != 0) std::abort();
  }

 private:
  uid_t before_ = ::geteuid();
};

}  // namespace detent::test
