// SPDX-License-Identifier: MIT
// The groups of operations. Each makes what it needs, and leaves nothing.
#pragma once

namespace detent::instructions {

// schedule, cancel and restart: the costs of threads other than the driver.
void count_producer();
// poll(): its cost for each timer that it drains, frees or fires, and without any due timer.
void count_driver();
// The hierarchical wheel alone, over nodes in an array.
void count_wheel();

}  // namespace detent::instructions
