// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/changes.hpp"

#include <detent/durable.hpp>
#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>

namespace detent::durable::detail {

class run;

// The bell wakes the thread that talks to the store.
class bell {
 public:
  void ring() {
    {
      const std::lock_guard locked(lock_);
      rung_ = true;
    }
    rings_.notify_one();
    if (called_) called_();
  }
  // Virtual time has no such thread: each ring() calls this instead.
  void call_at_each_ring(std::function<void()> f) { called_ = std::move(f); }
  // Returns whether it has rung since the last wait or the last call of has_rung().
  bool has_rung() noexcept {
    const std::lock_guard locked(lock_);
    return std::exchange(rung_, false);
  }
  // Waits until the bell rings or `at_most` has passed. Returns at once if it has rung since the last wait.
  void wait_for(std::chrono::nanoseconds at_most) noexcept {
    std::unique_lock locked(lock_);
    rings_.wait_for(locked, at_most, [&] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex lock_;
  std::condition_variable rings_;
  bool rung_ = false;
  std::function<void()> called_;
};

// A caller that has cancelled a timer and waits for the answer.
struct asking_caller {
  std::function<void(cancel_result)> done;
  std::chrono::nanoseconds give_up_at{};  // by elapsed()
  bool given_up = false;                  // its caller has been answered; it only keeps its place
};
using putting_caller = std::function<void(put_result)>;

// A careful run that is marked in the store.
struct marked {
  std::shared_ptr<run> what;
  bool starts = false;
  bool stays = false;  // it was marked for a start that does not come, so the mark is set back
};

// The room in the inbox that an operation occupies until it is over.
struct place {
  std::uint64_t number = 0;
  std::size_t bytes = 0;
};

// The reason why the store could not carry out a change yet.
enum class put_off_by : std::uint8_t { nothing, silent_part, transaction };

// A change on its way to the store. A put or a cancel that a caller has asked for is called an operation.
struct pending_change {
  change what;
  // The origin of the change: the caller of an operation; a run that has ended (null for an answer); the record of a
  // timer that its schedule moves; or a careful run that continues or starts.
  std::variant<putting_caller, asking_caller, std::shared_ptr<run>, record, marked> by;
  place its_place = {};            // if it is an operation
  bool stays_with_former = false;  // it goes into the same batch as the one before it
  bool is_owed = false;            // the end of a run of a former term, written under the present one
  put_off_by waits_for = put_off_by::nothing;

  bool is_end() const noexcept { return std::holds_alternative<end_request>(what); }
  // Returns whether this is a restart, which keeps the timer and moves it.
  bool restarts() const noexcept {
    const auto* put = std::get_if<put_request>(&what);
    return put != nullptr && put->mode == put_mode::move;
  }
  shard_id shard() const noexcept { return shard_in(what); }
  std::size_t key() const noexcept { return std::hash<std::string>()(key_in(what)); }  // a hash
};

// News of a run for the thread that writes; mostly, that the run is over. Only careful runs send the last two kinds.
struct finished {
  enum class as : std::uint8_t { ended, lapsed, dropped, due, begun };
  std::shared_ptr<run> what;
  as how = as::ended;
  end_request end = {};                    // valid if it has ended
  std::vector<pending_change> asked = {};  // by its handler, about its own timer
};

using arrival = std::variant<pending_change, finished>;

// Requests of callers and results of runs, in the order of their arrival. The operations are bounded by number and by
// bytes. Any thread may use it, except where a comment says otherwise.
class inbox {
 public:
  inbox(std::shared_ptr<bell> of, std::size_t most, std::size_t most_bytes) noexcept
      : bell_(std::move(of)), most_(most), most_bytes_(most_bytes) {}

  enum class room : std::uint8_t { enough, too_many, too_many_bytes };
  // Gives the operation a place. Each operation that gets one must be pushed, either alone or with the run whose
  // handler asked for it.
  room admit(pending_change& what);
  void push(pending_change&& admitted) { add(std::move(admitted)); }
  void push(finished&& what) { add(std::move(what)); }

  // Wakes the thread that writes.
  void wake() { bell_->ring(); }

  // Called by the thread that writes.
  std::vector<arrival> take_all();
  void over(std::span<const place> which);

  // Waits until all operations that were pushed before the call are over.
  bool wait_for_earlier(std::chrono::nanoseconds patience);
  bool is_empty() const;
  struct load {
    std::size_t operations, bytes;
  };
  load size() const;

 private:
  void number(pending_change& its);
  void add(arrival&& what);

  const std::shared_ptr<bell> bell_;
  const std::size_t most_;
  const std::size_t most_bytes_;
  mutable std::mutex lock_;
  std::condition_variable less_;
  std::vector<arrival> waiting_;
  load has_{};                  // the operations that have a place
  std::uint64_t numbered_ = 0;  // the number of the last one pushed
  std::uint64_t first_ = 1;     // the number of the first one that is not over
  std::deque<bool> is_over_;    // for that one and all after it
};

}  // namespace detent::durable::detail
