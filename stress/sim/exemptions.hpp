// SPDX-License-Identifier: MIT
// Where the engine is known to keep less than the interface says, so that the rest can be explored. Each is one narrow
// case; `true` holds the engine to the letter.
#pragma once

namespace detent::sim {

// A timer that is due already, restarted by another thread to the very deadline that it has, keeps the place of its old
// arming in the due queue: it may fire behind a later arming of that thread.
inline constexpr bool restart_in_place_orders = false;

// A fixed rate whose deadline was rounded up to a tick, restarted to that rounded deadline: its grid begins anew there.
// The engine tells a restart by its arming order alone, which may coincide with another thread's or with the count of
// hand-overs.
inline constexpr bool restart_in_place_begins_grid = false;

// What an executor runs inside poll() has run in that call, and is not to run in it again. If it is restarted to a time
// that is due, before that call is over, it does.
inline constexpr bool executor_run_is_a_turn = false;

// A timer whose entry found no memory in the submission queue is looked for by the next poll() or next_deadline(): only
// if something else was submitted meanwhile. Until then it is as if it were not there.
inline constexpr bool lost_entry_is_looked_for = false;

// After a poll() that had no memory to put what was due in order, and left it for the next, next_deadline() may name a
// later time than that of what was left.
inline constexpr bool next_deadline_knows_what_was_left = false;

// Where all that an executor refused was cancelled since, next_deadline() names the next offer all the same.
inline constexpr bool cancelled_offers_are_forgotten = false;

// While refused timers wait to be offered again, next_deadline() may name that offer instead of an earlier deadline.
inline constexpr bool offers_hide_no_deadline = false;

}  // namespace detent::sim
