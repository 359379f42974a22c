// SPDX-License-Identifier: MIT
#pragma once

namespace detent::detail {

// Removes the counters files in `directory` that processes left behind when they were killed. A leftover keeps its
// figures for a day: the first call that finds it removes its write permission and sets its time, and a call a day
// later deletes it. A file is left alone if its lock is held, if its engine uses no lock, or if it belongs to another
// user. Looks at 1,024 files at most. Reports nothing, because a leftover is no reason to refuse an engine.
void age_leftovers(const char* directory) noexcept;

}  // namespace detent::detail
