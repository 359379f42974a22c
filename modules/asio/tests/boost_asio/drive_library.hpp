// SPDX-License-Identifier: MIT
// The drive of Boost.Asio, for the tests that are compiled for both.
#pragma once

#include <detent/asio_drive.hpp>

#include <boost/asio/executor_work_guard.hpp>

#include "asio_library.hpp"
