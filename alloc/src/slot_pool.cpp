// SPDX-License-Identifier: MIT
#include <detent/alloc/slot_pool.hpp>

namespace detent::alloc {

template class slot_pool<default_traits>;

}  // namespace detent::alloc
