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

namespace detent::durable {

class store;
namespace detail {
class node;
class run;
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

 private:
  friend class detail::run;
  enum class kind : std::uint8_t { done, retry, dead };
  outcome(kind is, std::string why, std::optional<duration> after = {}) noexcept
      : kind_(is), after_(after), why_(std::move(why)) {}

  kind kind_;
  std::optional<duration> after_;
  std::string why_;
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
// start() and destruction. One thread of this object talks to the store, and only flush(), list() and revive() wait for
// it. The engine must outlive it. Timers run at least once, at most once a term, in deadline order within a partition;
// docs/durable.md has the promise in full.
class timers {
 public:
  // Throws detent::error: errc::invalid_option, naming the option, the value and the cure; durable::errc::unavailable
  // and what else the store answers to the first call.
  timers(engine& on, std::shared_ptr<store> in, options how = {});
  timers(const timers&) = delete;
  timers& operator=(const timers&) = delete;
  // Waits for handlers that run and for detached runs, writes their ends, and gives the shards back, so that others go
  // on at once. What waits in the outbox is written if the store answers within a lease; else it ends with `stopped`.
  ~timers();

  using handler_function = std::function<outcome(job&)>;
  // Before start(). What the handler throws is a retry, with what() for a reason. The engine's executor runs it. Throws
  // errc::invalid_option for a name that is empty, too long or taken, and impossible options.
  void handle(std::string_view name, handler_function f, handler_options how = {});
  // Before start(): what schedule_on() may name. Every node that handles such timers declares it.
  void declare(std::string_view name, const schedule& when);
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

  // `done` is called once, on the thread that talks to the store, at the latest `patience` later and a little. Throws
  // too_large, outbox_full, bad_alloc.
  void cancel(const timer_name& which, std::function<void(cancel_result)> done,
              duration patience = std::chrono::seconds(1));
  // Moves the timer to another time, with attempt 1; no error, or gone. A run that has begun at the old time goes on,
  // and the timer runs again at the new one. `done`, where not null, and exceptions are as above.
  void restart_at(const timer_name& which, wall_time due, std::function<void(std::error_code)> done = {});

  // Waits until the store has everything that any thread asked for before. Returns false if patience ends first.
  bool flush(duration patience);

  // These two ask the store, and throw the error that it answers. The list is sorted by due time.
  std::vector<listed> list(const query& which);
  // Makes dead timers live again, due now; returns how many.
  std::size_t revive(const query& which);
  durable::metrics metrics() const;

 private:
  std::unique_ptr<detail::node> node_;
};

}  // namespace detent::durable
