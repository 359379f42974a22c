// SPDX-License-Identifier: MIT
// Timers that outlive the process, in a store, and that several processes may share.
#pragma once

#include <detent/durable_error.hpp>
#include <detent/durable_options.hpp>
#include <detent/engine.hpp>
#include <detent/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

struct pg_conn;  // libpq's connection, PGconn

namespace detent::durable {

class store;
namespace detail {
class node;
class run;
class verdicts;
}  // namespace detail

// A handler's verdict on a run.
class outcome {
 public:
  static outcome done() noexcept { return outcome(kind::done, {}); }
  // It failed: again, by the handler's back-off, or dead after its last attempt.
  static outcome retry(std::string why = {}) noexcept { return outcome(kind::retry, std::move(why)); }
  static outcome retry_after(duration delay, std::string why = {}) noexcept {
    return outcome(kind::retry, std::move(why), delay);
  }
  // It failed, and no retry would help.
  static outcome dead(std::string why) noexcept { return outcome(kind::dead, std::move(why)); }
  // It has succeeded, and runs again then, with attempt 1 and the payload that it has, or a new one. One of a schedule
  // runs once more then, before the schedule's next time, or at that if it is sooner; its payload stays the new one.
  // With a payload, throws too_large, bad_alloc.
  static outcome again_at(wall_time due) noexcept { return outcome(kind::again, {}, {}, due); }
  static outcome again_at(wall_time due, std::span<const std::byte> payload);
  // So long after its end.
  static outcome again_after(duration delay) noexcept { return outcome(kind::again, {}, delay); }
  static outcome again_after(duration delay, std::span<const std::byte> payload);

 private:
  friend class detail::verdicts;
  enum class kind : std::uint8_t { done, retry, dead, again };
  outcome(kind is, std::string why, std::optional<duration> after = {}, std::optional<wall_time> at = {}) noexcept
      : kind_(is), after_(after), at_(at), why_(std::move(why)) {}

  outcome with(std::span<const std::byte> payload) &&;

  kind kind_;
  std::optional<duration> after_;
  std::optional<wall_time> at_;
  std::string why_;
  std::optional<std::vector<std::byte>> payload_;
};

// One run of one timer. Valid on its thread and during the run, or as long as what detach() returned.
class job {
 public:
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  std::string_view key() const noexcept;
  std::string_view partition() const noexcept;  // empty: it was scheduled without one
  std::span<const std::byte> payload() const noexcept;
  // The time that the run stands for; of a retry, when that was due.
  wall_time due() const noexcept;
  std::uint32_t attempt() const noexcept;  // from 1
  // Grows with each term of the shard, on whichever node: a resource that refuses a lower one than it has seen refuses
  // a node that has lost its term and does not know it.
  std::uint64_t fence() const noexcept;
  // False once the node's term is over by its own clock: another node may run the timer. No message is waited for. Ask
  // before each deed that cannot be undone; between the answer and the deed there is a gap, which only fence() closes.
  bool still_mine() const noexcept;

  // The timer ends in the program's own transaction, with what that writes: both happen or neither. On a store in
  // PostgreSQL; on others, throws error with unsupported, and the run goes on as if nothing had been called. After one
  // of these calls the run itself ends nothing as done: whatever it returns, a timer that the transaction has ended is
  // over, or waits for its next time, and one that is as it was is a retry, or dead after its last attempt. Any thread,
  // and they must return before the run ends; after that they throw not_permitted. Throw what schedule::next() throws,
  // and bad_alloc.
  //
  // The argument of `SELECT detent.finish(...)`, for a connection of any kind. Asks nothing of the store.
  std::string token() const;
  // The same by the program's connection, which is in a transaction; costs a round trip. False: another one has ended,
  // moved or cancelled the timer: roll back, and return done(). Throws unavailable with the database's message too.
  bool finish_in(pg_conn* in) const;

  // A run that ends when the program says so, from any thread. Destroyed without that, it counts as retry.
  class later {
   public:
    later(later&& other) noexcept = default;
    later& operator=(later&&) = delete;
    ~later();
    const job& of() const noexcept { return *job_; }
    void end(const outcome& how) noexcept;  // once

   private:
    friend class job;
    explicit later(std::shared_ptr<const job> what) noexcept : job_(std::move(what)) {}
    std::shared_ptr<const job> job_;
  };
  // May be called once in a run; the handler's result then means nothing.
  later detach();

 private:
  friend class detail::run;
  explicit job(detail::run& what) noexcept : run_(what) {}
  detail::run& run_;
};

// The durable timers of one node, on an engine that a worker drives. Any thread may call anything except construction,
// start() and destruction. One thread of this object talks to the store, and only flush(), revive() and purge() wait
// for it. The engine must outlive it. Timers run at least once, at most once a term, in deadline order within a
// partition; docs/durable.md has the promise in full.
class timers {
 public:
  // Throws detent::error: errc::invalid_option, naming the option, the value and the cure; durable::errc::unavailable
  // and what else the store answers to the first call.
  timers(engine& on, std::shared_ptr<store> in, options how = {});
  timers(const timers&) = delete;
  timers& operator=(const timers&) = delete;
  // Waits for handlers that run and for detached runs, writes their ends, and gives the shards back, so that others go
  // on at once. What waits in the outbox is written if the store answers within a lease; else it ends with `stopped`.
  // In one of its own handlers: that run counts as done, and its outcome is not looked at. In another of its callbacks,
  // on the thread that talks to the store, it ends the process, with a line that says so.
  ~timers();

  using handler_function = std::function<outcome(job&)>;
  // Before start(). What the handler throws is a retry, with what() for a reason. The engine's executor runs it. Throws
  // errc::invalid_option for a name that is empty, too long or taken, and impossible options.
  void handle(std::string_view name, handler_function f, handler_options how = {});
  // Gives schedule_on() a name for a schedule, or that name to another one. Every node that handles such timers
  // declares it. Stored timers follow: one whose schedule has set its due time, and that is due later than the
  // schedule's next time, moves there; an earlier one stays, so that a missed run runs. Throws errc::invalid_option for
  // a name that is empty or too long.
  void declare(std::string_view name, const schedule& when);
  // The time zones of all schedules are read from the host's files again, and stored timers follow as above. Throws
  // error with unknown_zone, and then nothing has changed.
  void reload_zones();
  // Begins to take shards and to run timers. Without it, this node schedules and cancels, and others run. Throws
  // not_permitted the second time.
  void start();

  // Returns the key. Takes an uncontended lock and some 100 ns to copy the payload. Throws too_large, outbox_full,
  // bad_alloc, and then nothing of it remains; all else is reported to on_stored. What is due already runs at once.
  // Due times are rounded up to whole microseconds, and limited to those of years 1970 to 2200.
  std::string schedule_at(wall_time due, std::string_view handler, std::span<const std::byte> payload,
                          const timer_options& how = {});
  std::string schedule_after(duration delay, std::string_view handler, std::span<const std::byte> payload,
                             const timer_options& how = {});
  // At each time of the schedule of that name, which is declared here. The next run is written in the step that ends
  // the last: never none, never two. One run stands for all that were missed. Throws unknown_handler too, and what
  // schedule::next() throws, or gone where nothing is due any more.
  std::string schedule_on(std::string_view schedule, std::string_view handler, std::span<const std::byte> payload,
                          const timer_options& how = {});

  // `done` is called once, on the thread that talks to the store, at the latest `patience` later and a little; of a
  // handler's own timer, after the end of that run. Throws too_large, outbox_full, bad_alloc.
  void cancel(const timer_name& which, std::function<void(cancel_result)> done,
              duration patience = std::chrono::seconds(1));
  // Moves the timer to another time, with attempt 1; no error, or gone. A run that has begun at the old time goes on,
  // and the timer runs again at the new one. `done`, where not null, and exceptions are as above.
  void restart_at(const timer_name& which, wall_time due, std::function<void(std::error_code)> done = {});

  // Waits until the store has everything that any thread asked for before. Returns false if patience ends first.
  bool flush(duration patience);

  // Look-ups. They ask the store, by a connection of their own and on the caller's thread: one at a time of this
  // object, beside all that runs, also before start(). They see what the store has: what waits in the outbox is not in
  // it yet; flush() first. Each throws the error that the store answers, too_large for names over their limits, and
  // called_from_callback in a callback on the thread that talks to the store.

  // The live timer of that name, else the dead one, else none. Costs one round trip, or some 20 us of a file, whatever
  // the store has.
  std::optional<listed> get(const timer_name& which);
  // Whether the name has a live timer. Costs what get() costs.
  bool exists(const timer_name& which);
  // The first ones of all shards by due time, and dead ones by the time at which they died. Asks each shard for
  // `limit` of them, in pieces of a millisecond; a filter that leaves few makes it look at all. query::partition, where
  // it is not empty, names one shard.
  std::vector<listed> list(const query& which);
  // At most query::limit of them, and where to go on: shard by shard, and in each as list() has them. So a million is
  // seen in pages, at the same cost each. A timer that stays where it is from the first page to the last is in one of
  // them. Throws errc::invalid_option for an `after` that is no listed_page::next.
  listed_page page(const query& which, std::string_view after = {});

  // These two find dead timers as list() does, `limit` of them at most, whatever query::dead says, and change them in
  // pieces on the thread that talks to the store. Revives them, due now; returns how many.
  std::size_t revive(const query& which);
  // Erases them; returns how many. Where an answer of the store was lost, those of it are erased and not counted.
  std::size_t purge(const query& which);
  durable::metrics metrics() const;

 private:
  std::unique_ptr<detail::node> node_;
};

}  // namespace detent::durable
