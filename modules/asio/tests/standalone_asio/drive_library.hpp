// SPDX-License-Identifier: MIT
// The drive of standalone Asio, for the tests that are compiled for both.
#pragma once

#include <detent/standalone_asio_drive.hpp>

#include <asio/executor_work_guard.hpp>

#include "asio_library.hpp"
