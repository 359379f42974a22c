// SPDX-License-Identifier: MIT
// The calls of a store that look at its timers. Comes with <detent/durable_store.hpp>.
#pragma once

#include <detent/durable_error.hpp>
#include <detent/durable_record.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace detent::durable {

struct list_request {
  shard_id shard = 0;
  std::string handler = {};                   // empty: any
  std::optional<std::string> partition = {};  // none: any
  std::string key_prefix = {};                // of the key without its partition; empty: any
  // The range of due times; for dead timers, of the times at which they died.
  stored_time from = stored_time::min();
  stored_time until = stored_time::max();  // excluded
  bool dead = false;                       // the dead ones instead
  bool recurring = false;                  // only those with a schedule; costs as much as there are of these
  std::string after = {};                  // list_page::next of the page before; empty: from the beginning
  std::size_t limit = 100;                 // at least 1
};
struct listed_record {
  record what = {};
  std::string why = {};                  // of dead ones
  std::optional<stored_time> died = {};  // by the store's clock; if that is not known, when it was due. None: it lives.
};
struct list_page {
  std::vector<listed_record> found = {};
  std::string next = {};  // the store's own words; empty: nothing is left
};
struct purge_page {
  std::size_t erased = 0;
  std::string next = {};  // as in list_page
};
struct timer_ref {
  shard_id shard = 0;
  std::string key = {};
};
struct key_request {
  timer_ref name = {};      // the key without a partition, and the shard of that
  bool dead = false;        // the dead ones instead
  std::size_t limit = 100;  // at least 1
};

struct shard_state {
  shard_id shard = 0;
  std::uint64_t fence = 0;  // of its last term; 0: none was ever taken
  // The node whose term stands. Empty: none. "?": not known, because the part of the store that knows does not answer,
  // or is the memory of the process that has the file.
  std::string node = {};
  stored_time upto{};  // the read level
  std::uint64_t timers = 0;
  std::uint64_t dead = 0;
};

// One entry of the roll (durable_store.hpp), by which nodes tell each other about themselves.
struct roll_entry {
  std::string what = {};
  stored_time until{};  // it counts until then, by the store's clock, unless it is entered again
};
struct roll_state {
  stored_time now{};  // by the store's clock
  std::vector<roll_entry> entries = {};
};
struct node_state {
  std::string node = {};
  stored_time until{};                        // it counts as alive until then, unless it calls again
  bool has_said = false;                      // whether its abilities are known
  std::vector<std::uint32_t> abilities = {};  // hashes of names
};
// The nodes of a roll, by name.
std::vector<node_state> nodes_of(const roll_state& all);
// Returns whether the node has said that it has a handler of that name. Another name may be taken for it, once in 2^32.
bool runs(const node_state& node, std::string_view handler) noexcept;

// The look-ups. They change nothing, and none is for a hot path. One thread at a time calls them. Their errors are
// those of a store.
class store_view {
 public:
  store_view() = default;
  store_view(const store_view&) = delete;
  store_view& operator=(const store_view&) = delete;
  virtual ~store_view() = default;

  // The live timer of that key, without its successor; else the dead one; else none. Costs one step, however many
  // timers the store has.
  virtual errc find(const timer_ref& which, std::optional<listed_record>& out) = 0;
  // The timers that have this key in any partition or in none, in no order. Costs a step or two and what it finds,
  // however many timers the store has.
  virtual errc find_by_key(const key_request& which, std::vector<listed_record>& out) = 0;
  // Timers of one shard: by due time, and dead ones by the time at which they died. Within one instant the store
  // chooses the order, but always the same one. A call looks at a few hundred timers at most, for about a millisecond,
  // so a page may be empty although it is not the last. A timer that stays in its place from the first page to the last
  // is in one of them; one that moves during that time may be in two, or in none. An `after` of another request is no
  // error, and finds anything.
  virtual errc list(const list_request& which, list_page& out) = 0;
  // Looks at shards 0, 1, ... as many as there is room for. The cost does not depend on how many timers there are,
  // except in a store without counts: there a store's own call may estimate `timers` where they are many, and a view's
  // call takes time in proportion to them.
  virtual errc look(std::span<shard_state> shards) = 0;
  // How many timers of each of these shards are due by then. Costs little for each of them.
  virtual errc count_due(stored_time by, std::span<std::uint64_t> shards) = 0;
};

}  // namespace detent::durable
