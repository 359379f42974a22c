// SPDX-License-Identifier: MIT
// The assertions of the code under test end the execution that breaks them.
#include "machine.hpp"

#include "platform/check.hpp"

namespace detent::base {

void check_failed(const char* expectation, const char* file, int line) noexcept {
  model::machine::instance().fail(std::string("check failed: ") + expectation + " at " + file + ":" +
                                  std::to_string(line));
}

}  // namespace detent::base
