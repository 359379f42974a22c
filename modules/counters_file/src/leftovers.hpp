// SPDX-License-Identifier: MIT
#pragma once

namespace detent::detail {

// Removes the counters files in `directory` that processes left behind when they were killed. A leftover keeps its
// figures for a day: the first call that finds it takes the right to write from it and sets its time, and a call a day
// later removes it. A file whose lock is held, that has no lock, or that belongs to another user, stays as it is.
// Looks at 1,024 files at most. Nothing is reported: a leftover is no reason to refuse an engine.
void age_leftovers(const char* directory) noexcept;

}  // namespace detent::detail
