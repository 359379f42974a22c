// SPDX-License-Identifier: MIT
// The contents of a counters file (engine_options::counters_file): version 1 of the layout, described byte by byte in
// docs/counters.md. Integers have the machine's byte order. All but the identity in the header change while the engine
// exists, one naturally aligned word at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace detent::counters_layout {

inline constexpr char magic[8] = {'d', 'e', 't', 'e', 'n', 't', '#', 'c'};
inline constexpr std::uint32_t version = 1;

enum class file_state : std::uint32_t { being_made, live, ended };

// Why an engine with clock_kind::automatic runs by the steady clock. none: it does not, or it was not to choose.
enum class clock_reason : std::uint8_t { none, not_invariant, other_source, unknown_source, given_up, count_ };

// The reason in one line.
constexpr const char* text_of(clock_reason reason) noexcept {
  switch (reason) {
    case clock_reason::not_invariant: return "this machine's TSC is not invariant";
    case clock_reason::other_source: return "the kernel's clock source is not the TSC";
    case clock_reason::unknown_source: return "the kernel's clock source cannot be read in /sys";
    case clock_reason::given_up: return "the TSC has disagreed with the steady clock again and again";
    case clock_reason::none:
    case clock_reason::count_: break;
  }
  return "";
}

// The struct at the file's beginning.
struct header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_bytes;   // of this struct
  std::uint64_t file_bytes;     // bytes in use; grows when a label is made
  std::int64_t process;         // the process id
  std::uint64_t process_start;  // as in field 22 of /proc/PID/stat: distinguishes another process with the same id
  std::int64_t made_at;         // CLOCK_MONOTONIC, nanoseconds
  std::uint32_t state;          // a file_state
  std::uint32_t worker_thread;  // its thread id; 0: driven by a caller
  char name[64];                // engine_options::name, cut to 63 bytes; ends with a NUL
  std::int64_t tick;            // nanoseconds
  std::int64_t max_spin;        // nanoseconds, of the wait mode hybrid
  std::uint64_t capacity;       // 0: no limit
  std::uint8_t wheel;           // 0 hierarchical, 1 hashed
  std::uint8_t wait;            // 0 busy, 1 hybrid, 2 sleep
  std::uint8_t drive;           // 0 worker, 1 caller
  std::uint8_t clock;           // 0 steady, 1 tsc, 2 manual
  std::uint8_t clock_reason;    // a `clock_reason`
  char reserved[3];             // 0
  // The places of the sections, in bytes from the file's beginning, and their sizes.
  std::uint32_t gauges_offset;  // gauge_count words of 8 bytes, in the order of `gauge`
  std::uint32_t gauge_count;
  std::uint32_t threads_offset;  // threads_in_use blocks of thread_stride bytes: counter_count words in each
  std::uint32_t thread_stride;
  std::uint32_t thread_capacity;
  std::uint32_t threads_in_use;  // grows
  std::uint32_t counter_count;
  std::uint32_t histograms_offset;  // histogram_count histograms, in the order of `cause`, each histogram_stride bytes
  std::uint32_t histogram_stride;
  std::uint32_t histogram_count;
  std::uint32_t histogram_buckets;
  std::uint32_t histogram_sub_bits;
  std::uint32_t labels_offset;  // labels_in_use blocks of label_stride bytes
  std::uint32_t label_stride;
  std::uint32_t label_capacity;
  std::uint32_t labels_in_use;  // grows
  // The last exception of a callback. Read the sequence, the other fields, and the sequence again: if it is the same
  // and even, what was read is whole. Not in files whose header_bytes is less.
  std::uint64_t error_sequence;  // 0: none yet; odd: one is being written
  std::int64_t error_at;         // CLOCK_MONOTONIC, nanoseconds
  char error_text[240];          // the exception's what(), cut to 239 bytes; ends with a NUL
  // Not in files whose header_bytes is less.
  std::uint32_t set;            // the number of the sharded_engine in the process; 0: the engine is in none
  std::uint32_t shard;          // the engine's number in the set, from 0
  std::uint32_t shards;         // how many engines the set has
  std::uint32_t last_reserved;  // 0
  // Not in files whose header_bytes is less.
  std::uint32_t locked;             // 1: the engine holds a flock(LOCK_EX) on the file for as long as it lives
  std::uint32_t after_locked;       // 0
  std::uint64_t process_namespace;  // the inode of /proc/self/ns/pid, in which `process` is the id; 0: unknown
  // The offsets of the time namespace: CLOCK_MONOTONIC and CLOCK_BOOTTIME are ahead of the host's by that many
  // nanoseconds.
  std::int64_t monotonic_offset;
  std::int64_t since_boot_offset;
  char instance[64];  // engine_options::instance; ends with a NUL
  // Why work of a library on top of the engine waits (engine::show_stall). Read it as the last exception is read. Not
  // in files whose header_bytes is less.
  std::uint64_t stall_sequence;  // 0: no work has waited yet
  std::int64_t stall_at;         // CLOCK_MONOTONIC, nanoseconds, when it was said
  char stall_text[240];          // "reason: sentence", cut to 239 bytes; ends with a NUL; empty: none waits
  std::uint64_t stall_waiting;   // how much work
};
static_assert(sizeof(header) == 848);
inline constexpr std::uint32_t error_text_bytes = sizeof(header::error_text);
// For files without the last error, which are also of this version.
inline constexpr std::uint32_t least_header_bytes = offsetof(header, error_sequence);

// The counts of one thread; an engine's counts are the sums over its threads. Timers pending: scheduled + revived -
// started_last - cancelled - returned - dropped.
enum class counter : std::uint8_t {
  scheduled,
  revived,            // one-shots re-armed from their callback: pending once more
  started_last,       // no longer pending: one-shots as they start, periodic ones as they end
  cancelled,          // before they started, or between two runs
  cancelled_running,  // periodic ones, during a run
  expired,
  returned,
  dropped,
  fired,
  restarted,
  refused,
  failed,
  boxed,
  drains,
  drained,
  rings,
  retired,
  slow,
  missed,         // periods that no run was for
  handed_over,    // to an executor, or refused by it and kept
  over_capacity,  // timers that were refused because engine_options::max_pending were pending
  count_
};

// The gauges. Only the driver writes them, except let_go.
enum class gauge : std::uint8_t {
  wakeups,         // returns of the worker from a sleep
  backlog,         // entries not yet drained, as of the driver's last pass
  margin,          // nanoseconds before a deadline at which the hybrid wait stops sleeping
  last_pass,       // the engine's clock when the driver last checked for what is due, nanoseconds
  next_deadline,   // nanoseconds of the engine's clock as the driver went to wait; INT64_MAX: none, or not yet known
  retries,         // refused by the executor, waiting to be offered again
  hidden_threads,  // threads whose counts have no room in the file
  record_dropped,  // operations that the recording of engine_options::record has lost
  // How often the TSC disagreed with the steady clock in this process; each time the steady clock is read in its place
  // for at least a second. Only for an engine by the TSC.
  clock_distrusted,
  // Timers that were handed over and did not run: cancelled or restarted since, stale, or dropped. Written on any
  // thread. Executors have not begun handed_over - fired - let_go timers, unless nothing was handed over at all.
  let_go,
  count_
};

// lateness is the whole, start - deadline; for a run after missed periods, it counts from the first of them. The next
// four are its parts, and leave out zeros: each lacks as many zeros as its count is less than that of lateness.
enum class cause : std::uint8_t {
  lateness,
  drain,     // submitted, or drained, after its deadline
  wait,      // the driver overslept, or was not there
  worker,    // the driver was busy
  dispatch,  // from the hand-over to an executor to the start
  callback,  // not a part: how long the callback took
  count_
};

// Log-linear: a bucket for each value below 2^(sub_bits + 1), then 2^sub_bits buckets an octave.
inline constexpr std::uint32_t histogram_sub_bits = 7;
inline constexpr std::uint32_t histogram_buckets = (64 - histogram_sub_bits) << histogram_sub_bits;
// The buckets, 8 bytes each; then the sum and the largest value, in nanoseconds.
inline constexpr std::uint32_t histogram_stride = 58'432;

// A label's block: its name, its counts in the order of `label_counter`, then its histograms.
inline constexpr std::uint32_t label_name_bytes = 64;  // ends with a NUL
enum class label_counter : std::uint8_t {
  scheduled,
  cancelled,
  expired,
  returned,
  dropped,
  fired,
  failed,
  restarted,
  begun,  // pending: begun - over
  over,
  missed,
  count_
};
inline constexpr std::uint32_t label_histograms_offset = 256;  // within the block; label_counter's words begin at 64

inline constexpr std::uint32_t gauges_offset = 1'024;
inline constexpr std::uint32_t threads_offset = 4'096;
inline constexpr std::uint32_t thread_stride = 256;
inline constexpr std::uint32_t thread_capacity = 1'024;
inline constexpr std::uint32_t histograms_offset = threads_offset + thread_capacity * thread_stride;
inline constexpr std::uint32_t labels_offset = 618'496;  // whole pages
inline constexpr std::uint32_t label_stride = 352'256;   // whole pages
inline constexpr std::uint32_t label_capacity = 255;

static_assert(histogram_stride % 64 == 0 && histogram_stride >= (histogram_buckets + 2) * 8);
static_assert(labels_offset >= histograms_offset + std::uint32_t(cause::count_) * histogram_stride);
static_assert(label_stride >= label_histograms_offset + std::uint32_t(cause::count_) * histogram_stride);

}  // namespace detent::counters_layout
