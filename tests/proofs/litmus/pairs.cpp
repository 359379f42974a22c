// SPDX-License-Identifier: MIT
// The pair: two halves that are exchanged together, read apart, and changed apart; and the two halves of one half.
#include "litmus.hpp"

namespace model {
namespace {

using detent::base::atomic_pair;

// {0, 0} -> {1, 1}  |  a = low; b = high
template <order Load>
void read_apart(execution& run, outcomes& seen) {
  auto& pair = run.make<atomic_pair>("pair");
  std::uint64_t a = 0, b = 0;
  run.thread("exchanger", [&] { require(pair.compare_exchange({0, 0}, {1, 1}), "nobody else changes it"); });
  run.thread("reader", [&] {
    a = pair.low.load(Load);
    b = pair.high.load(Load);
  });
  run.join();
  seen.insert(outcome(a, b));
}

// Two add to both halves: whatever they read, no addition is lost, and the halves stay together.
void added_together(execution& run, outcomes& seen) {
  auto& pair = run.make<atomic_pair>("pair");
  for (std::uint64_t self : {1u, 2u}) {
    run.thread("adder", [&pair, self] {
      for (;;) {
        detent::base::pair_value before{pair.low.load(relaxed), pair.high.load(relaxed)};
        if (pair.compare_exchange(before, {before.low + self, before.high + self})) return;
      }
    });
  }
  run.join();
  seen.insert(outcome(pair.low.load(relaxed), pair.high.load(relaxed)));
}

// The low half alone changes under an exchange of both.
void changed_apart(execution& run, outcomes& seen) {
  auto& pair = run.make<atomic_pair>("pair");
  bool together = false, apart = false;
  run.thread("both", [&] { together = pair.compare_exchange({0, 0}, {1, 1}); });
  run.thread("low", [&] {
    std::uint64_t expected = 0;
    apart = pair.low.compare_exchange_strong(expected, 7, acq_rel, acquire);
  });
  run.join();
  seen.insert(outcome(together, apart, pair.low.load(relaxed), pair.high.load(relaxed)));
}

// The upper 32 bits of the low half, under an exchange of all its bits.
void upper_bits(execution& run, outcomes& seen) {
  auto& pair = run.make<atomic_pair>("pair");
  bool upper = false, all = false;
  run.thread("upper", [&] { upper = pair.compare_exchange_upper(0, 1); });
  run.thread("all", [&] {
    std::uint64_t expected = 0;
    all = pair.low.compare_exchange_strong(expected, 7, acq_rel, acquire);
  });
  run.join();
  std::uint64_t low = pair.low.load(relaxed);
  seen.insert(outcome(upper, all, low >> 32, low & 0xffffffff));
}

const litmus_family pair_tests("Pairs", {
                                            {"ReadApart", {"0 0", "0 1", "1 0", "1 1"}, read_apart<relaxed>},
                                            {"ReadApartAcquire", {"0 0", "0 1", "1 1"}, read_apart<acquire>},
                                            {"AddedTogether", {"3 3"}, added_together},
                                            {"ChangedApart", {"0 1 7 0", "1 0 1 1"}, changed_apart},
                                            {"UpperBits", {"1 0 1 0", "1 1 1 7"}, upper_bits},
                                        });

}  // namespace
}  // namespace model
