// SPDX-License-Identifier: MIT
// A place where a store keeps the runs that go on, so that a crash repeats no others. A program needs it to bring a
// store of its own that has such a place.
#pragma once

#include <detent/durable_store.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace detent::durable {

// The runs that go on, and the ends of runs that the store does not have yet. They are written, without a system call,
// to a place that survives the end of the process. The store decides which process reads that place and what it
// concludes.
class run_journal {
 public:
  using place = std::uint32_t;
  static constexpr place nowhere = UINT32_MAX;

  run_journal() = default;
  run_journal(const run_journal&) = delete;
  run_journal& operator=(const run_journal&) = delete;
  virtual ~run_journal() = default;

  // Returns whether the journal knows which runs an earlier process had begun. If it does, those runs are marked or
  // have ended, and nothing else of a term that was abandoned can have ended that process.
  virtual bool knows_former() const noexcept = 0;

  // Makes room for that many runs at once: those that go on, and those that have ended and are not released. To be
  // called while there are none. If there is not enough, it makes as much as there is. Throws bad_alloc.
  virtual void make_room(std::size_t runs) = 0;

  // A handler is about to be called. `what` is the record as this term has read it; marks that it has written since do
  // not matter. Any thread.
  virtual place begin(const record& what) noexcept = 0;
  // The handler has returned. The store must carry out `how`, and in the same batch `asked`, in this order. If there is
  // no room for that, the run is repeated after a crash. Any thread, once for each place, also for `nowhere`.
  virtual void end(place of, const end_request& how, std::span<const change> asked) noexcept = 0;
  // The store has all that, or another term has the timer, or the run did not come to an end(). Any thread, for each
  // place that begin() has returned, also for `nowhere`, and before another run of the timer begins.
  virtual void release(std::span<const place> which) noexcept = 0;
};

}  // namespace detent::durable
