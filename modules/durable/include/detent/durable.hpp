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

// The outcome of a run, which a handler returns.
class outcome {
 public:
  static outcome done() noexcept { return outcome(kind::done, {}); }
  // It failed. The run is repeated by the handler's back-off; after its last attempt the timer is dead.
  static outcome retry(std::string why = {}) noexcept { return outcome(kind::retry, std::move(why)); }
  static outcome retry_after(duration delay, std::string why = {}) noexcept {
    return outcome(kind::retry, std::move(why), delay);
  }
  // It failed, and a retry would not help.
  static outcome dead(std::string why) noexcept { return outcome(kind::dead, std::move(why)); }
  // It has succeeded, and runs again at that time, with attempt 1 and the payload that it has, or a new one. A timer of
  // a schedule runs once more then, before the schedule's next time, or at that time if it is sooner; a new payload
  // stays. With a payload, throws too_large, bad_alloc.
  static outcome again_at(wall_time due) noexcept { return outcome(kind::again, {}, {}, due); }
  static outcome again_at(wall_time due, std::span<const std::byte> payload);
  // It has succeeded, and runs again that long after its end.
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

// One run of one timer. Valid on its thread and during the run, or as long as the object that detach() returned.
class job {
 public:
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  std::string_view key() const noexcept;
  std::string_view partition() const noexcept;  // empty if it was scheduled without one
  std::span<const std::byte> payload() const noexcept;
  // The time that the run stands for; for a retry, the time when that was due.
  wall_time due() const noexcept;
  std::uint32_t attempt() const noexcept;  // from 1
  // Grows with each term of the shard, on any node. A resource that refuses a lower number than it has seen refuses a
  // node that has lost its term and does not know it.
  std::uint64_t fence() const noexcept;
  // False once the node's term is over by its own clock; another node may run the timer then. Waits for no message. Ask
  // before each action that cannot be undone. Between the answer and the action there is a gap, which only fence()
  // closes.
  bool still_mine() const noexcept;

  // These two end the timer in the program's own transaction, together with what that writes: both happen or neither.
  // They work on a store in PostgreSQL. On others they throw error with unsupported, and the run goes on as if nothing
  // had been called. After one of these calls the outcome of the run no longer ends the timer as done. If the
  // transaction has ended the timer, it is over, or waits for its next time. If the timer is as it was, it is a retry,
  // or dead after its last attempt. Any thread may call them. They must return before the run ends; after that they
  // throw not_permitted. Throw what schedule::next() throws, and bad_alloc.
  //
  // Returns the argument of `SELECT detent.finish(...)`, for a connection of any kind. Asks nothing of the store.
  std::string token() const;
  // Does it by the program's connection, which must be in a transaction; costs a round trip. False: another transaction
  // has ended, moved or cancelled the timer; roll back, and return done(). Also throws unavailable with the database's
  // message.
  bool finish_in(pg_conn* in) const;

  // A run that ends when the program says so, from any thread. If it is destroyed before, it counts as retry.
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
  // May be called once in a run. The handler's result then means nothing.
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
  // Throws detent::error with errc::invalid_option, naming the option, the value and the cure; with
  // durable::errc::unavailable, or with another error that the store returns to the first call.
  timers(engine& on, std::shared_ptr<store> in, options how = {});
  timers(const timers&) = delete;
  timers& operator=(const timers&) = delete;
  // Waits for handlers that run and for detached runs, writes their ends, and gives the shards back, so that others go
  // on at once. What waits in the outbox is written if the store answers within a lease; else it ends with `stopped`.
  // If one of its own handlers calls this, its run counts as done, and its outcome is ignored. If another of its
  // callbacks calls it, on the thread that talks to the store, the process ends with a line that says so.
  ~timers();

  using handler_function = std::function<outcome(job&)>;
  // To be called before start(). An exception of the handler is a retry, with what() as the reason. The engine's
  // executor runs the handler. Throws errc::invalid_option for a name that is empty, too long or taken, and for
  // impossible options.
  void handle(std::string_view name, handler_function f, handler_options how = {});
  // Gives a schedule a name for schedule_on(), or gives that name to another schedule. Every node that handles such
  // timers must declare it. Stored timers follow. If the schedule has set a timer's due time, and the schedule's next
  // time is earlier, the timer moves there. A timer that is due earlier stays, so that a missed run runs. Throws
  // errc::invalid_option for a name that is empty or too long.
  void declare(std::string_view name, const schedule& when);
  // Reads the time zones of all schedules from the host's files again; stored timers follow as above. Throws error with
  // unknown_zone, and then nothing has changed.
  void reload_zones();
  // Begins to take shards and to run timers. Without it, this node schedules and cancels, and other nodes run the
  // timers. Throws not_permitted the second time.
  void start();

  // Returns the key. Takes an uncontended lock and some 100 ns to copy the payload. Throws too_large, outbox_full,
  // bad_alloc, and then nothing of the timer remains; all other errors are reported to on_stored. A timer that is due
  // already runs at once. Due times are rounded up to whole microseconds, and limited to the years 1970 to 2200.
  std::string schedule_at(wall_time due, std::string_view handler, std::span<const std::byte> payload,
                          const timer_options& how = {});
  std::string schedule_after(duration delay, std::string_view handler, std::span<const std::byte> payload,
                             const timer_options& how = {});
  // Runs at each time of the schedule of that name, which must be declared here. The next run is written in the step
  // that ends the last, so there is always exactly one. One run stands for all that were missed. Also throws
  // unknown_handler, what schedule::next() throws, and gone if nothing is due any more.
  std::string schedule_on(std::string_view schedule, std::string_view handler, std::span<const std::byte> payload,
                          const timer_options& how = {});

  // `done` is called once, on the thread that talks to the store, a little later than `patience` at the latest; for a
  // handler's own timer, that counts from the end of the run. Throws too_large, outbox_full, bad_alloc.
  void cancel(const timer_name& which, std::function<void(cancel_result)> done,
              duration patience = std::chrono::seconds(1));
  // Moves the timer to another time, with attempt 1. `done` gets no error, or gone. A run that has begun at the old
  // time goes on, and the timer runs again at the new one. `done` may be null; it is called, and exceptions are thrown,
  // as above.
  void restart_at(const timer_name& which, wall_time due, std::function<void(std::error_code)> done = {});

  // Waits until the store has everything that any thread has requested before. Returns false if `patience` ends first.
  bool flush(duration patience);

  // Look-ups. They ask the store on the caller's thread, by a connection of their own. They run one at a time for this
  // object, but beside everything else, also before start(). They see what the store has. Operations in the outbox are
  // not there yet; call flush() first. Each throws the error that the store returns, too_large for names over their
  // limits, and called_from_callback in a callback on the thread that talks to the store.

  // The live timer of that name, else the dead one, else none. Costs one round trip, or some 20 us of a file, however
  // many timers the store has.
  std::optional<listed> get(const timer_name& which);
  // Returns whether the name has a live timer. Costs what get() costs.
  bool exists(const timer_name& which);
  // The first timers of all shards by due time, and dead ones by the time at which they died. Asks each shard for
  // `limit` of them, in pieces of a millisecond; a filter that leaves few makes it look at all timers.
  // query::partition, if it is not empty, selects one shard.
  std::vector<listed> list(const query& which);
  // At most query::limit timers, and where to go on: shard by shard, and in each as list() has them. So a program sees
  // a million timers in pages, at the same cost each. A timer that stays in its place from the first page to the last
  // is in one of them. Throws errc::invalid_option for an `after` that is not from listed_page::next.
  listed_page page(const query& which, std::string_view after = {});

  // These two find dead timers as list() does, at most `limit` of them, and ignore query::dead. They change them in
  // pieces, on the thread that talks to the store. revive() makes them live again, due now, and returns how many it
  // changed.
  std::size_t revive(const query& which);
  // Erases them, and returns how many. If an answer of the store was lost, the timers of that answer are erased and not
  // counted.
  std::size_t purge(const query& which);
  durable::metrics metrics() const;

 private:
  std::unique_ptr<detail::node> node_;
};

}  // namespace detent::durable
