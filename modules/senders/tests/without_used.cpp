// SPDX-License-Identifier: MIT
// Where there are no senders: what uses the scheduler does not compile, and says in one sentence what is lacking.
#include <detent/senders.hpp>

auto used(detent::engine& e) { return detent::scheduler(e).schedule(); }
