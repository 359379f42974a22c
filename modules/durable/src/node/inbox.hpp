// SPDX-License-Identifier: MIT
#pragma once

#include "bell.hpp"

#include <detent/durable.hpp>
#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>

namespace detent::durable::detail {

class run;

struct put_operation {
  put_request what;
  std::function<void(put_result)> done;
};
struct cancel_operation {
  cancel_request what;
  std::function<void(cancel_result)> done;
  std::chrono::nanoseconds give_up_at{};  // by elapsed()
};
// The room in the inbox that an operation occupies until it is over.
struct place {
  std::uint64_t number = 0;
  std::size_t bytes = 0;
};
struct operation {
  std::variant<put_operation, cancel_operation> what;
  place its_place = {};

  const std::string& key() const noexcept;
  shard_id shard() const noexcept;
  // Returns whether this is a restart, which keeps the timer and moves it.
  bool moves() const noexcept;
};

// News of a run for the thread that writes; mostly, that the run is over. Only careful runs send the last two kinds.
struct finished {
  enum class as : std::uint8_t { ended, lapsed, dropped, due, begun };
  std::shared_ptr<run> what;
  as how = as::ended;
  end_request end = {};               // valid if it has ended
  std::vector<operation> asked = {};  // what its handler asked for about its own timer
};

using arrival = std::variant<operation, finished>;

// Requests of callers and results of runs, in the order of their arrival. The operations are bounded by number and by
// bytes. Any thread may use it, except where a comment says otherwise.
class inbox {
 public:
  inbox(std::shared_ptr<bell> of, std::size_t most, std::size_t most_bytes) noexcept
      : bell_(std::move(of)), most_(most), most_bytes_(most_bytes) {}

  enum class room : std::uint8_t { enough, too_many, too_many_bytes };
  // Gives the operation a place. Each operation that gets one must be pushed, either alone or with the run whose
  // handler asked for it.
  room admit(operation& what);
  void push(operation&& admitted);
  void push(finished&& what);

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
  void number(operation& its);
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
