// SPDX-License-Identifier: MIT
// parallel_group of the Asio under test.
#pragma once

#include <asio/experimental/parallel_group.hpp>
