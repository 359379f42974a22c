// SPDX-License-Identifier: MIT
// The calls that durable timers make on a store. A program needs them to bring a store of its own; all others include
// <detent/durable.hpp> and a store's header.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/durable_error.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace detent::durable {

// A time of the wall clock in whole microseconds, which a double holds exactly until the year 2255.
using stored_time = std::chrono::sys_time<std::chrono::microseconds>;

using shard_id = std::uint16_t;

inline constexpr std::size_t key_limit = 128;                               // bytes; at least 1
inline constexpr std::size_t partition_limit = 128;                         // bytes
inline constexpr std::size_t name_limit = 1 + partition_limit + key_limit;  // bytes of a stored key
inline constexpr std::size_t handler_limit = 64;                            // bytes; at least 1
inline constexpr std::size_t payload_limit = 1 << 16;                       // bytes
inline constexpr std::uint32_t store_format = 2;  // what a store keeps about itself; any other: foreign_format

// The name of a timer in a store: one byte with the length of its partition, the partition, the key. A store compares
// and sorts these bytes, and needs the parts only in list(). Throws bad_alloc.
std::string stored_key(std::string_view key, std::string_view partition = {});
struct key_parts {
  std::string_view partition, key;
};
// The parts, which refer to `stored`. Bytes that no stored_key() has made are a key without a partition.
key_parts parts_of(std::string_view stored) noexcept;

// The shard of a timer, of its partition where that is not empty and of its key else: FNV-1a, 64 bits, modulo shards.
shard_id shard_of(std::string_view key, std::string_view partition, shard_id shards) noexcept;

// A timer as the store has it. Keys, names and payloads are any bytes.
struct record {
  shard_id shard = 0;
  std::string key = {};  // a stored_key(), unique in its shard
  std::uint64_t id = 0;  // of this version of it: each put has a new one, which grows with time on each node
  stored_time due{};
  std::uint32_t attempt = 1;
  std::string handler = {};
  std::string schedule = {};  // the name of what it repeats on; empty: it runs once
  std::vector<std::byte> payload = {};
};

// A term: one node's time with one shard. It stands from its take until, by the store's clock, its lease has passed
// since the last take or read_on, or until it is given back, or until the shard is taken again. At most one term of a
// shard stands at a time. Its fence is greater than that of every term of the shard before it: max(the last one + 1,
// the store's time in us), also if the same node takes it again. The read level of a term whose lease has run out stays
// until the next take, as what it had read may still run; given back, it is below everything.

enum class take_status : std::uint8_t { taken, held };
struct take_request {
  shard_id shard = 0;
  std::chrono::milliseconds lease{};
};
struct take_result {
  take_status status = take_status::held;
  std::uint64_t fence = 0;           // of the new term, if taken
  std::chrono::milliseconds left{};  // if held: until the standing term ends unless it is renewed
};

struct term_ref {
  shard_id shard = 0;
  std::uint64_t fence = 0;
};

enum class put_mode : std::uint8_t {
  keep,     // where the key names a timer, that one stays as it is
  replace,  // the new one instead of it
  fail,     // as keep, but distinguished
  move      // only where the key names a timer: it gets the record's id and due, attempt 1, and nothing else
};
enum class put_status : std::uint8_t {
  stored,  // the key was free; or the store has this very id under it already, and nothing changed: sent again
  replaced,
  kept,
  exists,
  moved,
  gone  // of move: the key names none
};
struct put_request {
  record what = {};
  put_mode mode = put_mode::keep;
};

enum class cancel_status : std::uint8_t {
  cancelled,  // erased: its due time is beyond the read level, or it was dead. No node has it in hand.
  gone,       // the key names none
  asked,      // at or below the read level: the question is announced to the shard's owner, if there is one
  withdrawn   // erased, beyond the read level, and asked, as the owner has not read yet that it is not what it has in
              // hand: unless that runs, it is cancelled
};
struct cancel_request {
  shard_id shard = 0;
  std::string key = {};
  std::uint64_t question = 0;  // of the asking node's choice, random; not 0
};

// The owner's answer to a question.
enum class answer : std::uint8_t { none, cancelled, running, gone };
struct question_ref {
  shard_id shard = 0;
  std::uint64_t question = 0;
};

// The outcome of a run, or of a question. It refers to the timer only if key, id and `ran` (its due time then) are as
// the run had them: one that has been replaced or moved since is left alone.
enum class end_kind : std::uint8_t {
  erase,  // it has ended
  move,   // to `due`, with `attempt`: a retry, or the next run of a schedule. The owner knows it: it is not announced.
  kill,   // to the dead ones, with the reason
  leave   // nothing; for the answer alone
};
enum class end_status : std::uint8_t {
  ended,      // also of a move, and where answers get lost of a kill, that was carried out before and is sent again
  fenced,     // the term does not stand: nothing was changed, nothing answered
  gone,       // not as the run had it: replaced, moved, cancelled, or ended before. The answer is stored all the same.
  unanswered  // the part of the store that has its shard does not answer: it was carried out or not, and is sent again
};
struct end_request {
  term_ref term = {};
  std::string key = {};
  std::uint64_t id = 0;
  stored_time ran{};
  end_kind how = end_kind::erase;
  stored_time due{};
  std::uint32_t attempt = 1;
  std::string why = {};        // at most 256 bytes
  std::uint64_t question = 0;  // answered in the same step; 0: none
  answer reply = answer::none;
};

// An announcement to the owner names a key that was put or moved at or below the read level, or whose old due time was
// there, or a key that is to be cancelled. They come in the order in which it happened.
struct announced {
  std::string key = {};
  std::uint64_t question = 0;  // not 0: cancel it and answer
};

struct read_request {
  term_ref term = {};
  stored_time upto{};
  std::size_t limit = 0;  // about so many of `due`; 0: renew, and hand over what was announced, but do not read on
  std::chrono::milliseconds lease{};
};
struct read_result {
  bool stands = false;      // false: the term is over, and the rest is empty
  bool unanswered = false;  // the part of the store that has its shard does not answer: all is as before, rest empty
  stored_time upto{};       // the read level now
  // Due after the read level before and up to that now, by due time and then id.
  std::vector<record> due = {};
  std::vector<announced> announced_keys = {};  // since the last read_on, or since the take
  std::vector<record> announced_now = {};      // what the keys among them that are no questions name now, each once
};

// The nodes that are there, and the store's time.
struct roll_call {
  stored_time now{};
  std::vector<std::string> nodes = {};  // each that called within its own time to live, the caller among them
};

struct list_request {
  shard_id shard = 0;
  std::string handler = {};                   // empty: any
  std::optional<std::string> partition = {};  // none: any
  std::string key_prefix = {};                // of the key without its partition; empty: any
  stored_time from = stored_time::min();
  stored_time until = stored_time::max();  // not among them
  bool dead = false;                       // the dead ones instead
  stored_time after_due = stored_time::min();
  std::string after_key = {};  // goes on after this due time and key; by these two the list is sorted
  std::size_t limit = 100;     // at least 1
};
struct listed_record {
  record what = {};
  std::string why = {};  // of dead ones
};

struct shard_state {
  shard_id shard = 0;
  std::uint64_t fence = 0;  // of its last term; 0: none was ever taken
  // The node whose term stands; empty: none; "?": not known, as the part of the store that knows does not answer, or is
  // the memory of the process that has the file.
  std::string node = {};
  stored_time upto{};  // the read level
  std::uint64_t timers = 0;
  std::uint64_t dead = 0;
};

// One thread calls at a time; the store may call listen()'s `wake` from any thread of its own. Each call is a batch
// that may mix shards; its entries are carried out in their order for each shard, each of them one atomic step, and a
// batch is worth one round trip, or one commit. `results` has as many places as there are requests. errc{} is success:
// every entry has its result, and the changes outlive a crash of the process, and more if the store's own options
// promise it. With any other code (unavailable, not_permitted, corrupt) each entry was carried out or not: the caller
// sends the same again, for which every call is made. Calls throw bad_alloc only.
class store {
 public:
  store() = default;
  store(const store&) = delete;
  store& operator=(const store&) = delete;
  virtual ~store() = default;

  // One `timers` at a time has this object. False: another one has it. Any thread.
  bool claim() noexcept { return !claimed_.exchange(true, base::acquire); }  // (1) acquire: pairs with (2)
  void unclaim() noexcept { claimed_.store(false, base::release); }          // (2) release: its calls have ended

  // Fixed when the store was made. 1 to 1,024.
  virtual shard_id shards() const noexcept = 0;
  // One line for people: which store it is, without passwords. Valid as long as the store.
  virtual std::string_view name() const noexcept = 0;

  // Enters this node in the roll for `live_for`, and returns the roll; costs one step.
  virtual errc call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) = 0;

  // Begins a new term where none stands. Its read level is below everything, so that it reads again all that an earlier
  // term had read and not ended; announcements to earlier terms are dropped. A request that is sent again may find the
  // shard held by its own first sending: that term has no owner, and passes.
  virtual errc take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) = 0;
  // Ends each term that stands, so that its shard may be taken at once. Has no effect on others.
  virtual errc give_back(std::span<const term_ref> what) = 0;
  // Renews the term, moves its read level to `upto`, never back, and returns what lies between and what was announced.
  // With more than `limit` in between, the read level goes to the due time of the last that fits, and *all* of that
  // instant are returned.
  virtual errc read_on(std::span<const read_request> what, std::span<read_result> results) = 0;
  // The owner reports what has become of its runs.
  virtual errc end(std::span<const end_request> what, std::span<end_status> results) = 0;

  // Any node calls these. A put that stores or changes a timer whose old or new due time is at or below the read level
  // announces it to the owner in the same step. A dead timer does not hold its key: the put erases it.
  virtual errc put(std::span<const put_request> what, std::span<put_status> results) = 0;
  virtual errc cancel(std::span<const cancel_request> what, std::span<cancel_status> results) = 0;
  // The answers that are there. Kept for at least a minute; reading does not erase them.
  virtual errc read_answers(std::span<const question_ref> what, std::span<answer> results) = 0;
  // The dead timer of that key lives again, with this id and due time, attempt 1, as if it were put: stored, or gone
  // where none is dead.
  virtual errc revive(std::span<const put_request> what, std::span<put_status> results) = 0;

  // Not for hot paths. One shard at a time; a page that is not full is the last.
  virtual errc list(const list_request& which, std::vector<listed_record>& out) = 0;
  virtual errc look(std::span<shard_state> shards) = 0;  // of shards 0, 1, ... as many as there is room for

  // From now on `wake` is called after something was announced to the owner of a shard, by this process or another,
  // soon; spuriously too, and not for ever: a listener reads on at times all the same. It may be called during any
  // call. Null: no more; when that returns, no call of the old one runs.
  virtual void listen(std::function<void(shard_id)> wake) = 0;

 private:
  base::atomic<bool> claimed_{false};
};

}  // namespace detent::durable
