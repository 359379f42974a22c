// SPDX-License-Identifier: MIT
// The groups of operations. Each makes what it needs, and leaves nothing.
#pragma once

namespace detent::instructions {

// schedule, cancel and restart: what a thread pays that is not the driver.
void count_producer();
// poll(): what it pays for each timer that it drains, frees or fires, and with nothing due.
void count_driver();
// The hierarchical wheel alone, over nodes in an array.
void count_wheel();

}  // namespace detent::instructions
