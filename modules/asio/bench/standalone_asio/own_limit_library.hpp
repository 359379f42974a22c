// SPDX-License-Identifier: MIT
// The time limits of this Asio, if it has them.
#pragma once

#include <asio/cancel_after.hpp>
