// SPDX-License-Identifier: MIT
// All of detent.
#pragma once

#include <detent/coroutine.hpp>
#include <detent/engine.hpp>
#include <detent/error.hpp>
#include <detent/executor.hpp>
#include <detent/firing.hpp>
#include <detent/keyed_pool.hpp>
#include <detent/manual_clock.hpp>
#include <detent/metrics.hpp>
#include <detent/options.hpp>
#include <detent/thread_pool.hpp>
#include <detent/time.hpp>
#include <detent/timer.hpp>
#include <detent/timer_group.hpp>
#include <detent/unfired_timer.hpp>
#include <detent/version.hpp>
