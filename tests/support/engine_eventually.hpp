// SPDX-License-Identifier: MIT
#pragma once

#include "support/drive_eventually.hpp"

namespace detent::testing {

using drive::eventually;

}  // namespace detent::testing
