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

using console_time = std::chrono::sys_time<std::chrono::microseconds>;  // of the wall clock

// The activity of an engine in one interval between two readings. Time without a reading has no sample, and is a gap in
// the curves.
struct console_sample {
  console_time at{};                                           // its end
  double seconds = 0;                                          // its length
  std::optional<double> p50, p99;                              // of lateness, nanoseconds; none: nothing fired
  std::optional<double> most = {};                             // the same
  double scheduled = 0, fired = 0, cancelled = 0, missed = 0;  // a second
  std::uint64_t pending = 0;                                   // at its end
};

// Since when an engine has been as bad as it is.
struct trouble_span {
  severity judged = severity::warning;
  console_time from{};
  bool may_be_older = false;  // nothing from before is kept
};

// An engine that is gone, of which the long history still has something.
struct past_engine {
  std::string id = {}, name = {};  // the name is printable
  std::int64_t process = 0;
  console_time first{}, last{};  // of what is kept
  severity worst = severity::fine;
};

// An engine, or a set of shards as one.
struct console_engine {
  // In URLs, and to find it again in the next view: letters, digits, dots and dashes; no other engine's. A set's stays
  // the same while shards of it come and go.
  std::string id = {};
  bool live = true;     // false: it has ended, or its process is gone; its figures are the last ones
  bool killed = false;  // its process is gone, and the engine has not ended
  // Between its reading `seconds` ago and the latest. Rates times seconds are the counts of that time.
  double seconds = 0;
  top_row row = {};
  std::optional<std::uint64_t> queued = {};       // handed over to executors and not begun; none: it has none
  std::optional<double> next_due = {};            // nanoseconds from the reading to the next deadline, below 0: past
  std::uint64_t hidden_threads = 0, retries = 0;  // as the gauges
  std::vector<console_sample> history = {};       // by time, of at most the last minutes; `row.p99s` is not used
  std::optional<trouble_span> trouble = {};       // by the long history
  std::vector<console_engine> shards = {};        // of a set, by number; of no other
};

struct console_shard {
  std::uint32_t shard = 0;
  std::string node = {};           // the owner of the term; empty if there is none
  bool node_known = true;          // false: the part of the store that knows does not answer
  std::optional<double> lag = {};  // nanoseconds from the read level to now; below 0: read ahead; none: never read
  std::uint64_t timers = 0;        // all that it holds, dead ones not among them
  std::uint64_t backlog = 0;       // those of them whose due time has passed
  std::uint64_t dead = 0;
};

// A timer in the store. Keys, handlers and reasons are any bytes.
struct console_timer {
  std::string key = {}, partition = {}, handler = {};
  console_time due{};
  std::uint32_t attempt = 1;
  std::uint32_t shard = 0;
  std::string schedule = {};              // empty: it runs once
  std::string why = {};                   // of dead ones
  std::optional<console_time> died = {};  // none: it lives
};

// A node that has entered itself in the store's roll.
struct console_node {
  enum class state : std::uint8_t { there, left, lost };  // lost: it has not said that it leaves

  std::string name = {};
  state is = state::there;
  console_time seen{};  // its last sign of life that was noticed
};

struct console_store {
  std::string name = {};     // which store, without passwords
  std::string trouble = {};  // why it could not be read; empty: it could. The rest is then the last that was read.
  double silent = 0;         // seconds since it has answered, or refused to, or been asked first; 0: but a few
  std::optional<console_time> read_at = {};  // none: never yet
  std::vector<console_shard> shards = {};    // by number
  std::vector<console_timer> next = {};      // by due time, at most fifty
  std::vector<console_timer> dead = {};      // the latest death first, at most fifty
  bool nodes_known = false;                  // false: the roll is in the memory of the process that has the file
  std::vector<console_node> nodes = {};      // by name
  std::vector<std::string> unrun = {};       // handlers of timers that come next, which no node has
};

// One search and its results: timers of that handler, and those whose key begins with the text.
struct console_search {
  std::string text = {};     // as it was typed
  std::string trouble = {};  // why it cannot be done
  bool is_done = false;      // all was looked at, or as many were found as are shown
  std::vector<console_timer> found = {};
};

// A timer that was opened.
struct console_opening {
  std::string key = {}, partition = {};
  std::string trouble = {};  // why it could not be read
  bool is_read = false;
  std::optional<console_timer> timer = {};
  std::string payload = {};  // its first bytes
  std::size_t payload_size = 0;
};

// What one request asked for beside the view. None: nothing was asked for.
struct console_lookup {
  std::optional<console_search> search = {};
  std::optional<console_opening> opening = {};
  std::optional<std::vector<console_sample>> long_samples = {};  // of the engine that is shown, over long_window
};

struct console_view {
  console_time now{};
  std::string host = {};
  std::string directory = {};                    // where counters files are looked for
  double interval = 1;                           // seconds from one reading to the next
  double window = 300;                           // seconds that figures are of, once the console has run so long
  double long_window = 3600;                     // seconds that the long history is of
  std::vector<console_engine> engines = {};      // in any order
  std::vector<past_engine> past = {};            // none of them among the engines
  std::vector<std::string> troubles = {};        // a line for each file that could not be read, and why
  std::string history_trouble = {};              // why the long history is not kept, or not from before; empty: it is
  std::optional<console_store> store = {};       // none: started without one
  std::vector<finding> findings = {};            // of the doctor
  std::optional<console_time> examined_at = {};  // none: the doctor has not finished yet
};

}  // namespace detent::tool
