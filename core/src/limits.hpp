// SPDX-License-Identifier: MIT
// Every private limit of the engine, room by room: sizes, batches and thresholds that cost time or memory if they are
// wrong, and never change the result. limit(released, tight): the preset `tight` uses the second value, so that a
// program of a few calls crosses each limit. Times have one value, because tests move the clock instead. So have the
// few whose number users can tell, by an order or an allocation.
//
// Constants that formats, processors and the kernel prescribe, the division of a word's bits, and the estimates of the
// oversleep margin and of the time stamp counter's rate are no limits, and stand where they are used (waiter.cpp,
// tsc_clock.cpp). The limits of the memory for nodes are in detent/alloc/limits.hpp, and a module has its own.
#pragma once

#include <detent/base/limit.hpp>

#include <cstddef>
#include <cstdint>

namespace detent::detail::limits {

using base::limit;

// --- groups

// Chunks with which a roster's memory begins; it doubles from there.
inline constexpr std::size_t first_roster_chunks = limit(8, 1);
// A roster with fewer members is not worth a walk for its stale entries.
inline constexpr std::size_t few_members = limit(64, 2);

// --- wheel

// The hierarchical wheel has 2^n slots a level. 6: a level's bitmap is one word, and 11 levels hold 64 bits. 1 is
// correct too, but cascades so often that tests with many timers take minutes.
inline constexpr unsigned slot_bits = limit(6, 2);
// A set has 2^n lists, which are walked side by side, because a single one is walked no faster than memory answers. 1:
// the least with more than one list.
inline constexpr unsigned chain_bits = limit(3, 1);
// Bits of the number of a set's node, after which it wraps. 19: with the sets' own numbers they fill the 30 bits of a
// location. At least chain_bits, so that a number still gives its list after a wrap.
inline constexpr unsigned set_number_bits = limit(19, 5);
// Sets of a wheel beyond two for each of its slots: one in the slot and one that is being taken out. While there are
// spare ones, a slot may have several, and a due timer stays in its set until it fires. 640: with those of 704 slots
// they are 2,048.
inline constexpr std::size_t spare_sets = limit(640, 8);
// From this many nodes on, a uniform set is kept apart from others of its slot, and becomes a run that needs no sort.
inline constexpr std::uint32_t worth_a_run = limit(8, 2);
// Nodes that a search for the exact next deadline looks at. Beyond them it returns a lower bound.
inline constexpr int exact_looks = limit(64, 5);
// Unlinks after which a crowded slot is searched again, because its nodes may be few by then.
inline constexpr std::uint32_t looks_after_unlinks = limit(64, 2);
// Ticks ahead that the hashed wheel keeps apart from its rounds. At least 2.
inline constexpr unsigned near_ticks = limit(1'008, 2);
// If the hashed wheel has few slots, each has several lists, which are walked side by side: the most for a slot, and
// the most in all. Powers of two.
inline constexpr std::size_t lists_a_slot = limit(8, 2);
inline constexpr std::size_t lists_of_all_slots = limit(4'096, 8);
// Timers that the hashed wheel files again between two interludes.
inline constexpr std::uint32_t files_between = limit(256, 2);
// Entries of the due queue that are dealt with between two interludes: some microseconds.
inline constexpr std::size_t stretch = limit(4'096, 2);
// With fewer due entries, comparing is cheaper than counting digits.
inline constexpr std::size_t worth_counting = limit(256, 4);
// Bits of a digit of that sort. The counts of 2^10 digits stay in the L1 cache.
inline constexpr unsigned digit_bits = limit(10, 3);
// Entries for which each higher lane has room ahead, of what the engine reserves. engine_options::reserve promises
// this.
inline constexpr std::size_t higher_ahead = 16'384;
// Capacity of the due queue that is not given back after a peak: 1.5 MiB of entries.
inline constexpr std::size_t due_kept = limit(65'536, 4);

// --- submission

// Entries of a block of a thread's queue, which has one block at least, and the blocks that it can have before their
// index grows. Both are powers of two, at least 2.
inline constexpr std::size_t entries_a_block = limit(64, 4), first_block_index = limit(4, 2);
// Blocks that stay as they are when threads end. The pages of further ones go to the kernel.
inline constexpr std::size_t blocks_kept = limit(8, 1);
// Threads for which a reserving engine has memory ahead: a block each, and the nodes that their caches hold.
// engine_options::reserve promises that this suffices.
inline constexpr std::size_t threads_ahead = 8;
// Producers whose marks share a word; at most as many as it has bits.
inline constexpr std::uint32_t producers_a_word = limit(64, 2);
// Visits of idle producers that cost as much as the fence with which they are forgotten, heavy or not.
inline constexpr std::uint32_t idle_visits_heavy = limit(1'024, 4);
inline constexpr std::uint32_t idle_visits_light = limit(16, 1);
// Entries of the cache that knows the newest generations: 16 KiB, half of an L1 cache.
inline constexpr std::size_t stale_filter = limit(2'048, 2);
// Unread entries for which the driver is rung: 64 KiB at first, and up to 2 MiB while rings come closer than too_often.
// More than two of its batches, because otherwise it would never leave any.
inline constexpr std::uint64_t least_backlog = limit(8'192, 32);
inline constexpr std::uint64_t most_backlog = limit(262'144, 128);
inline constexpr std::int64_t rings_too_often = 8'000'000, rings_seldom = 32'000'000;
// Pushes a CPU that cost as much as one heavy fence, if that takes usual_fence nanoseconds. On 2 CPUs they break even
// at 1,024 pushes; the kernel interrupts each CPU that runs a thread of the process.
inline constexpr std::uint64_t pushes_a_cpu = limit(512, 2);
inline constexpr std::int64_t usual_fence = 640;
// This many times the break-even must be seen before the other side pays.
inline constexpr std::uint64_t fence_evidence = limit(16, 1);

// --- threads

// A thread adds its pushes to the shared count in batches of this size.
inline constexpr std::uint32_t report_every = limit(64, 2);
// Cancelled timers that a thread announces to the driver in one go.
inline constexpr std::size_t reap_batch = limit(64, 2);
// Places in a thread's table of engines for each engine, to which it grows. 4: at most a quarter is used.
inline constexpr std::size_t record_places = limit(8, 4);
// Threads begin to count their armings at this many different numbers, spread over a quarter of all orders. The due
// queue needs the counts of threads that share a deadline to lie within half of them (due_queue.hpp).
inline constexpr std::uint32_t first_orders = 512, orders_spread = 1u << 25;
// A call that is under way ends within a microsecond, unless its thread has lost its processor. So a waiting thread
// makes this many pauses before it sleeps, for that many nanoseconds.
inline constexpr int pauses_for_a_call = limit(100, 1);
inline constexpr std::int64_t sleep_for_a_call = 50'000;

// --- observe

// Late drains whose times are remembered. A timer of an older one counts as drained later than it was.
inline constexpr std::size_t late_drains = limit(256, 4);

// --- callers

// Handles of a bulk cancel whose nodes are fetched while the lot before is handled.
inline constexpr std::size_t cancel_lot = limit(16, 2);

// --- driver

// How far ahead of its turn a due node is fetched.
inline constexpr std::size_t fetch_due_ahead = limit(6, 1);
// How far ahead of its turn an entry's node is fetched, then what the node links to.
inline constexpr std::size_t fetch_node_ahead = limit(24, 2), fetch_links_ahead = limit(12, 1);
// Entries that are taken out of the submission queue in one go, and accepted between two readings of the clock.
inline constexpr std::size_t drain_room = limit(1'024, 8), drain_slice = limit(64, 4);
// Slices of a drain beyond twice what had been submitted: the rest of a batch, and slices that are cut short. More than
// the slices of drain_room.
inline constexpr std::size_t spare_slices = limit(1'024, 6);
// Entries that are drained before what is due fires, so that due ones among them come in order. Users see this number.
inline constexpr std::size_t drained_before_firing = 4'096;
// If it is rung for something this far ahead, the driver leaves a queue of more than worth_leaving entries until
// shortly before, because most of them are cancelled by then.
inline constexpr std::int64_t look_ahead = 2'000'000;
inline constexpr std::size_t worth_leaving = limit(4'096, 4);
// A wake time further away than this is not raised: waking in vain costs less.
inline constexpr std::int64_t worth_a_vain_wake = 200'000;
// Entries that come out of the queue of critical timers at once: they lie on the stack.
inline constexpr std::size_t critical_batch = limit(64, 2);
// Nodes that come out of the wheel, or run, between two interludes.
inline constexpr std::uint32_t takes_between = limit(256, 2);
// A pass ends when critical timers have come into it this often and one of the bulk has fired after that; otherwise it
// might never end. An interlude ends after as many turns of timers that did not fire.
inline constexpr int interruptions = limit(64, 2);
// Timers that go to the executor in one call.
inline constexpr std::size_t executor_batch = limit(64, 3);
// Refused work for which there is room also after a peak, and in which stale work is not searched for.
inline constexpr std::size_t retries_kept = limit(64, 2);
// Refused work is offered again after this time.
inline constexpr std::int64_t retry_after = 1'000'000;
// Members of groups that are scanned between two passes of the worker, and in a call of poll(). Users see this number.
inline constexpr std::size_t sweep_slice = limit(1'024, 2);
inline constexpr std::size_t sweep_a_poll = 100'000;
// How long before a deadline the worker warms up the caches, and the least time for which it does. 10 us: long enough
// for a cold core, short enough for nothing to be evicted.
inline constexpr std::int64_t warm_up_ahead = 10'000, worth_warming_up = 1'000;
// With less time left the pool stays as it is, because a wait's end is prepared later than that.
inline constexpr std::int64_t worth_tidying = 200'000;
// From this tick on, the kernel's oversleep is small beside the tick, and spinning for longer than that share of the
// tick gains nothing that the tick shows.
inline constexpr std::int64_t coarse_tick = 1'000'000, coarse_share = 64;
// Up to the first length a whole sleep is held to the CPU latency limit; of a longer sleep the second length, at its
// end. The end is longer than a deep state's exit. A change wakes every idle core, so the limit is not lifted for less
// than the first length.
inline constexpr std::int64_t held_throughout = 10'000'000, held_at_the_end = 1'000'000;
// The end of a spin has no light pauses, which may take a microsecond; the caches are warmed up before it.
inline constexpr std::int64_t bare_spin = 12'000;

// --- engine

// Slots of a hashed wheel: 64 MiB of lists.
inline constexpr std::size_t hashed_slots = std::size_t{1} << 24;

// --- api

// How often drain_for() looks whether anything is left.
inline constexpr std::int64_t stop_looks = 1'000'000;

}  // namespace detent::detail::limits
