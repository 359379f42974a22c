// SPDX-License-Identifier: MIT
// All that one answer of `detent console` shows: what the page is drawn from, and nothing else.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "doctor/finding.hpp"
#include "top/top_row.hpp"

namespace detent::tool {

using console_time = std::chrono::sys_time<std::chrono::microseconds>;  // on the wall clock

// An engine's activity in an interval between two readings. A time without a reading has no sample, so the curves have
// a gap.
struct console_sample {
  console_time at{};   // the end of the interval
  double seconds = 0;  // the length of the interval
  // Percentiles of the lateness, in nanoseconds; empty if nothing fired.
  std::optional<double> p50, p99;
  std::optional<double> most = {};                             // the largest lateness; empty if nothing fired
  double scheduled = 0, fired = 0, cancelled = 0, missed = 0;  // per second
  std::uint64_t pending = 0;                                   // at the end of the interval
};

// The time since when an engine has been as bad as it is now.
struct trouble_span {
  severity judged = severity::warning;
  console_time from{};
  bool may_be_older = false;  // nothing earlier is kept
};

// An engine that is gone and still has a long history.
struct past_engine {
  std::string id = {}, name = {};  // the name is printable
  std::int64_t process = 0;
  console_time first{}, last{};  // of the samples that are kept
  severity worst = severity::fine;
};

// An engine, or a set of shards treated as one.
struct console_engine {
  // Identifies the engine in URLs and in the next view: letters, digits, dots and dashes, unique among the engines. A
  // set's id stays the same when shards come and go.
  std::string id = {};
  bool live = true;     // false if it has ended or its process is gone; the figures are then its last
  bool killed = false;  // its process is gone although the engine has not ended
  // The time from an earlier reading to the latest one. Rates multiplied by it give the counts of that time.
  double seconds = 0;
  top_row row = {};
  std::optional<std::uint64_t> queued = {};  // handed to executors and not begun; empty without executors
  // Nanoseconds from the reading to the next deadline; negative if it is past.
  std::optional<double> next_due = {};
  std::uint64_t hidden_threads = 0, retries = 0;  // the values of the gauges
  std::vector<console_sample> history = {};       // by time, over the last few minutes; `row.p99s` is not used
  std::optional<trouble_span> trouble = {};       // from the long history
  std::vector<console_engine> shards = {};        // of a set, by number; otherwise empty
};

struct console_shard {
  std::uint32_t shard = 0;
  std::string node = {};   // the owner of the term; empty if there is none
  bool node_known = true;  // false if the part of the store that knows does not answer
  // Nanoseconds from the read level to now; negative if it is ahead; empty if nothing was read.
  std::optional<double> lag = {};
  std::uint64_t timers = 0;   // all living ones
  std::uint64_t backlog = 0;  // those that are overdue
  std::uint64_t dead = 0;
};

// A timer in the store. Keys, handlers and reasons may be any bytes.
struct console_timer {
  std::string key = {}, partition = {}, handler = {};
  console_time due{};
  std::uint32_t attempt = 1;
  std::uint32_t shard = 0;
  std::string schedule = {};              // empty if it runs once
  std::string why = {};                   // only if it is dead
  std::optional<console_time> died = {};  // empty if it is alive
};

// A node that has entered itself in the store's roll.
struct console_node {
  enum class state : std::uint8_t { there, left, lost };  // lost: it is gone without having said so

  std::string name = {};
  state is = state::there;
  console_time seen{};  // when its last sign of life was noticed
};

struct console_store {
  std::string name = {};     // names the store, without passwords
  std::string trouble = {};  // why it could not be read, or empty; in the first case the rest is the last result
  double silent = 0;         // seconds since it answered, refused, or was first asked; 0 if these are few
  std::optional<console_time> read_at = {};  // empty before the first reading
  std::vector<console_shard> shards = {};    // by number
  std::vector<console_timer> next = {};      // by due time, at most fifty
  std::vector<console_timer> dead = {};      // by death, the latest first, at most fifty
  bool nodes_known = false;                  // false if only the process that has the file knows the roll
  std::vector<console_node> nodes = {};      // by name
  std::vector<std::string> unrun = {};       // handlers of the next timers that no node has
};

// A search and its results: timers with that handler, and those whose key begins with the text.
struct console_search {
  std::string text = {};     // as typed
  std::string trouble = {};  // why it cannot be done
  bool is_done = false;      // everything was looked at, or the most that is shown was found
  std::vector<console_timer> found = {};
};

// A timer that was opened.
struct console_opening {
  std::string key = {}, partition = {};
  std::string trouble = {};  // why it could not be read
  bool is_read = false;
  std::optional<console_timer> timer = {};
  std::string payload = {};  // only the first bytes
  std::size_t payload_size = 0;
};

// The answers to what a request asked for besides the view; empty for what it did not ask.
struct console_lookup {
  std::optional<console_search> search = {};
  std::optional<console_opening> opening = {};
  std::optional<std::vector<console_sample>> long_samples = {};  // of the engine that is shown, over long_window
};

struct console_view {
  console_time now{};
  std::string host = {};
  std::string directory = {};                // the directory with the counters files
  double interval = 1;                       // seconds between two readings
  double window = 300;                       // seconds that the figures cover, once the console has run for so long
  double long_window = 3600;                 // seconds that the long history covers
  std::vector<console_engine> engines = {};  // in any order
  std::vector<past_engine> past = {};        // without those among `engines`
  std::vector<std::string> troubles = {};    // one line, with the reason, for each file that could not be read
  // Why the long history is not kept, or does not go back; otherwise empty.
  std::string history_trouble = {};
  std::optional<console_store> store = {};       // empty if the console was started without a store
  std::vector<finding> findings = {};            // the doctor's
  std::optional<console_time> examined_at = {};  // empty if the doctor has not finished yet
};

}  // namespace detent::tool
