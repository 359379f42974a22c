// SPDX-License-Identifier: MIT
// Without senders, a use of the scheduler does not compile, and one sentence says what is lacking.
#include <detent/senders.hpp>

auto used(detent::engine& e) { return detent::scheduler(e).schedule(); }
