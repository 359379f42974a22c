// SPDX-License-Identifier: MIT
// timeout(sender, scheduler, 5ms): a sender that has no longer than it is given. Where there is std::execution or
// stdexec, as for <detent/senders.hpp>; the declarations are in the header below, which asks for them.
#pragma once

#include <detent/base/sender_timeout.hpp>
