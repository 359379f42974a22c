// SPDX-License-Identifier: MIT
// A stand-in for the submission queue, with its guarantees and no more: what one producer pushed comes in that order,
// nothing is lost or comes twice, and the taker of an entry sees what was written before its push. pushers.cpp has the
// marks by which the taker finds a producer. Entries of different producers come in any order, and a taker that is not
// synchronised with a push may miss it.
#pragma once

#include <detent/base/atomic.hpp>

#include <proofs/explorer/explore.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace model {

template <std::uint32_t Producers, std::uint32_t Entries>
class submission_stand_in {
 public:
  // By the thread that is that producer.
  void push(std::uint32_t producer, std::uint64_t entry) {
    queue& own = queues_[producer];
    require(own.pushed != Entries, "the stand-in is too small for this scenario");
    own.entries[own.pushed++] = entry;
    own.reported.store(own.pushed, detent::base::release);  // (1) release: pairs with (2)
  }

  // By one thread at a time: f(entry) for all that it sees, in one of the orders they may come in.
  template <class F>
  void take_all(F&& f) {
    take(std::size_t{Producers} * Entries, f);
  }
  // The same for `room` of them; fewer mean that there were no more.
  template <class F>
  void take(std::size_t room, F&& f) {
    std::array<std::uint32_t, Producers> seen;
    for (std::uint32_t i = 0; i != Producers; ++i) {
      seen[i] = queues_[i].reported.load(detent::base::acquire);  // (2) acquire: pairs with (1)
    }
    for (; room != 0; --room) {
      std::array<std::uint32_t, Producers> ready;
      unsigned count = 0;
      for (std::uint32_t i = 0; i != Producers; ++i) {
        if (queues_[i].taken != seen[i]) ready[count++] = i;
      }
      if (count == 0) return;
      queue& next = queues_[ready[count == 1 ? 0 : choose(count)]];
      f(next.entries[next.taken++]);
    }
  }

 private:
  struct queue {
    std::array<std::uint64_t, Entries> entries{};
    std::uint32_t pushed = 0;  // the producer's
    std::uint32_t taken = 0;   // the taker's
    detent::base::atomic<std::uint32_t> reported{0};
  };
  std::array<queue, Producers> queues_;
};

}  // namespace model
