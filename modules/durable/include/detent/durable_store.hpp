// SPDX-License-Identifier: MIT
// The calls that durable timers make on a store. A program needs them only to bring a store of its own; otherwise it
// includes <detent/durable.hpp> and a store's header.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/durable_error.hpp>
#include <detent/durable_record.hpp>
#include <detent/durable_view.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace detent::durable {

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
  std::uint64_t fence = 0;  // of the new term, if taken
  // If taken: the term before was not given back. What it had in hand may have ended with its process.
  bool abandoned = false;
  std::uint64_t former = 0;  // if taken: the fence of the term before; 0: there was none, or the same node has kept it
  std::chrono::milliseconds left{};  // if held: until the standing term ends unless it is renewed
};
struct term_ref {
  shard_id shard = 0;
  std::uint64_t fence = 0;
};

// A change of a store's timers, by any node or, of an end, by the owner. In a batch of them the changes of each key are
// carried out in the order of the batch.

enum class put_mode : std::uint8_t {
  // If the key names a timer, that timer stays as it is. If it is at or below the read level, it may have begun to run:
  // then the new one is kept beside it as its successor, unless it has one. See end_kind.
  keep,
  // The new one instead of it, and of its successor. Where schedules have set the due times of both, the earlier of
  // these counts: a run that was missed is not lost.
  replace,
  fail,  // where the key names a timer, that one stays as it is
  move,  // only where the key names a timer: it gets the record's id and due, attempt 1, by_rule, and no successor
  // Only where the key names a dead timer and no live one: it lives again with the record's id and due, attempt 1, not
  // by rule, as if it were put.
  revive
};
struct put_request {
  record what = {};
  put_mode mode = put_mode::keep;
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
// the run had them: one that has been replaced or moved since is left alone. Where a timer with a successor is erased
// or killed, the successor takes its place in the same step, as if it were put then. One that moves to another time
// with attempt 1 runs again all the same, and its successor goes; with a greater attempt it is a retry, and that stays.
enum class end_kind : std::uint8_t {
  erase,  // it has ended
  move,   // to `due`, with `attempt`, by_rule, and the payload if there is one: a retry, or the next run
  kill,   // to the dead ones, with the reason
  leave,  // nothing; for the answer alone
  unkeep  // the key's successor goes, if its id is `id`: the timer before it starts after the successor was asked for
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
  std::optional<std::vector<std::byte>> payload = {};  // of move
  bool by_rule = false;                                // of move
};
using change = std::variant<put_request, cancel_request, end_request>;

enum class change_status : std::uint8_t {
  // Answers to a put:
  stored,  // the key was free; or the store has this very id under it already, and nothing changed: sent again
  replaced,
  kept,
  exists,
  moved,  // also where the store has this very id under the key already
  // For a move or revival: the key names none. For a cancel: neither. For an end: the timer is not as the run had it:
  // replaced, moved, cancelled, or ended before. Its answer is stored all the same.
  gone,
  // Answers to a cancel:
  cancelled,  // erased: it was beyond the read level, or dead. No node has it in hand.
  asked,      // at or below the read level: its successor is erased, and the question announced to the shard's owner
  withdrawn,  // erased, beyond the read level, and asked: cancelled, unless what the owner has in hand of it runs
  // Answers to an end:
  ended,   // also of a move, and where answers get lost of a kill, that was carried out before and is sent again
  fenced,  // the term does not stand: nothing was changed, nothing answered
  // For any change: the part of the store that has its shard does not answer. The change was carried out or not, and is
  // sent again before any later change of that shard.
  unanswered,
  // For any change: a transaction of the program's own holds the timer, and nothing was changed. All later changes of
  // that key in the batch have this answer too. They are sent again, in their order; those of other keys do not wait
  // for them.
  busy
};

// The read level of a term is a place in the order of its shard's timers: by due time, and within one instant as the
// store likes, but always alike. It is a due time and whether all of that instant is below it.

// An announcement to the owner names a key that was put or moved at or below the read level, or was there before; a key
// that is to be cancelled; or one that has a successor. They come in the order in which it happened. What the owner
// moves itself is announced only where it comes to lie in the instant of a level that is not whole, at or below that.
struct announced {
  std::string key = {};
  std::uint64_t question = 0;  // not 0: cancel it and answer
  std::uint64_t kept = 0;      // not 0: the id of its successor
};
struct read_request {
  term_ref term = {};
  stored_time upto{};
  std::size_t limit = 0;  // at most so many of `due`; 0: renew, and hand over what was announced, but do not read on
  std::chrono::milliseconds lease{};
  std::size_t bytes = SIZE_MAX;  // as many of `due` as have so many bytes of payload, but one at least
};
struct read_result {
  bool stands = false;      // false: the term is over, and the rest is empty
  bool unanswered = false;  // the part of the store that has its shard does not answer: all is as before, rest empty
  stored_time upto{};       // the read level now,
  bool whole = true;        // and whether all of that instant is below it
  // After the read level before and up to that now, by due time and then id.
  std::vector<record> due = {};
  std::vector<announced> announced_keys = {};  // since the last read_on, or since the take
  bool has_all_announced = true;               // false: there were more, and the next read_on returns those
  // For those of the keys that are neither questions nor successors: the record that the key names now, if it is at or
  // below the read level; each once.
  std::vector<record> announced_now = {};
};

// The nodes that are there, and the time by the store's clock.
struct roll_call {
  stored_time now{};
  std::vector<std::string> nodes = {};  // each that called within its own time to live, the caller among them
};

class run_journal;
class run_tokens;

// One thread calls at a time; the store may call listen()'s `wake` from any thread of its own. Each call is a batch
// that may mix shards. Its entries are carried out in their order for each shard, each as one atomic step, and a batch
// costs one round trip, or one commit. `results` has as many places as there are requests. errc{} is success: every
// entry has its result, and the changes outlive a crash of the process, and more if the store's own options promise it.
// With any other code (unavailable, not_permitted, corrupt) each entry was carried out or not. The caller then sends
// the same again; every call is made for that. Calls throw bad_alloc only.
class store : public store_view {
 public:
  // Only one `timers` at a time may have this object. False: another one has it. Any thread.
  bool claim() noexcept { return !claimed_.exchange(true, base::acquire); }  // (1) acquire: pairs with (2)
  void unclaim() noexcept { claimed_.store(false, base::release); }          // (2) release: its calls have ended

  // See <detent/durable_journal.hpp>. Valid as long as the store; null: it has none.
  virtual run_journal* journal() noexcept { return nullptr; }
  virtual run_tokens* tokens() noexcept { return nullptr; }  // <detent/durable_tokens.hpp>; likewise

  virtual shard_id shards() const noexcept = 0;        // fixed when the store was made; 1 to 1,024
  virtual std::string_view name() const noexcept = 0;  // one line for people, without passwords; as long as the store
  virtual bool names_are_text() const noexcept { return false; }  // keys and handlers: UTF-8 without a zero byte

  // Enters this node in the roll for `live_for`, and returns the roll; costs one step. Messages from node to node are
  // entered in the same way: `node` is then any bytes of which the first is 0, up to 64 KiB.
  virtual errc call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) = 0;

  // Begins a new term if none stands. Its read level is below everything, so it reads again all that an earlier term
  // had read and not ended; announcements to earlier terms are dropped. A request that is sent again may find the shard
  // held by its own first sending: that term has no owner, and passes.
  virtual errc take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) = 0;
  // Ends each term that stands, so that its shard may be taken at once. Has no effect on others.
  virtual errc give_back(std::span<const term_ref> what) = 0;
  // Renews the term, and moves its read level to `upto`, never back. Returns the timers in between, and what was
  // announced. If `limit` or `bytes` cuts that short, the read level goes to the last timer that is returned.
  virtual errc read_on(std::span<const read_request> what, std::span<read_result> results) = 0;

  // Any node puts and cancels, and the owner reports the ends of its runs. A put that stores or changes a timer whose
  // old or new place is at or below the read level announces it to the owner in the same step. A dead timer does not
  // hold its key: the put erases it. A good batch has 1 MiB and a few thousand changes.
  virtual errc apply(std::span<const change> what, std::span<change_status> results) = 0;
  // The answers that are there. They are kept for at least a minute; reading does not erase them.
  virtual errc read_answers(std::span<const question_ref> what, std::span<answer> results) = 0;

  // Erases dead timers that list() would have found, in the same pieces. If it is sent again after an answer that was
  // lost, it erases others, and does not count the first ones.
  virtual errc purge(const list_request& which, purge_page& out) = 0;
  // For each of shards 0, 1, ...: the time at which the nth of its dead timers died, in the order of death, from 1;
  // stored_time::max() if it has fewer. Costs little for each of `nth`.
  virtual errc look_at_deaths(std::size_t nth, std::span<stored_time> shards) = 0;
  // The roll, without an entry in it; costs one step. unsupported: the roll is in the memory of the process that has
  // the file.
  virtual errc look_at_roll(roll_state& out);
  // A view of the same timers that another thread may use beside all calls of the store, without holding up any of
  // these: it has a connection of its own, made by its first call. It sees what was changed before its call begins;
  // `node` and `upto` of its shard_states may be unknown. The store must outlive it. Throws bad_alloc.
  virtual std::unique_ptr<store_view> view_apart() = 0;

  // From now on `wake` is called soon after something was announced to the owner of a shard, by this process or
  // another. It may be called spuriously, and calls may get lost, so a listener must read on at times all the same. It
  // may be called during any call. Null ends that; when the call returns, no call of the old `wake` runs.
  virtual void listen(std::function<void(shard_id)> wake) = 0;

 private:
  base::atomic<bool> claimed_{false};
};

}  // namespace detent::durable
