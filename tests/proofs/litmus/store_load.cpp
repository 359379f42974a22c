// SPDX-License-Identifier: MIT
// Store buffering, and what it takes to forbid it; R, its cousin with a second store; load buffering.
#include "litmus.hpp"

namespace model {
namespace {

// x = 1; a = y  |  y = 1; b = x
template <order Store, order Load, bool FenceLeft, bool FenceRight>
void store_buffering(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  auto& y = run.make<cell>("y", 0);
  int a = -1, b = -1;
  run.thread("left", [&] {
    x.store(1, Store);
    if (FenceLeft) fence(seq_cst);
    a = y.load(Load);
  });
  run.thread("right", [&] {
    y.store(1, Store);
    if (FenceRight) fence(seq_cst);
    b = x.load(Load);
  });
  run.join();
  seen.insert(outcome(a, b));
}

// The left side sequentially consistent operations, the right side a fence: S orders the two kinds together.
void store_buffering_mixed(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  auto& y = run.make<cell>("y", 0);
  int a = -1, b = -1;
  run.thread("left", [&] {
    x.store(1, seq_cst);
    a = y.load(seq_cst);
  });
  run.thread("right", [&] {
    y.store(1, relaxed);
    fence(seq_cst);
    b = x.load(relaxed);
  });
  run.join();
  seen.insert(outcome(a, b));
}

// Read-modify-writes instead of fences, each on the other's variable: the later one reads the earlier one.
void store_buffering_exchange(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  auto& y = run.make<cell>("y", 0);
  auto& z = run.make<cell>("z", 0);
  int a = -1, b = -1;
  run.thread("left", [&] {
    x.store(1, relaxed);
    z.exchange(1, acq_rel);
    a = y.load(relaxed);
  });
  run.thread("right", [&] {
    y.store(1, relaxed);
    z.exchange(2, acq_rel);
    b = x.load(relaxed);
  });
  run.join();
  seen.insert(outcome(a, b));
}

// A heavy fence on the right makes a full one of the light one on the left.
template <bool Heavy>
void store_buffering_asymmetric(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  auto& y = run.make<cell>("y", 0);
  int a = -1, b = -1;
  run.thread("left", [&] {
    x.store(1, relaxed);
    detent::base::light_fence();
    a = y.load(relaxed);
  });
  run.thread("right", [&] {
    y.store(1, relaxed);
    Heavy ? require(detent::base::heavy_fence(), "refused") : detent::base::full_fence();
    b = x.load(relaxed);
  });
  run.join();
  seen.insert(outcome(a, b));
}

// x = 1; y = 1  |  y = 2; a = x. Outcome: a, and y at the end.
template <order Store, order Load, bool Fences>
void r_shape(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  auto& y = run.make<cell>("y", 0);
  int a = -1;
  run.thread("left", [&] {
    x.store(1, Store);
    if (Fences) fence(seq_cst);
    y.store(1, Store);
  });
  run.thread("right", [&] {
    y.store(2, Store);
    if (Fences) fence(seq_cst);
    a = x.load(Load);
  });
  run.join();
  seen.insert(outcome(a, y.load(relaxed)));
}

// a = x; y = 1  |  b = y; x = 1. The language allows 1 1 for relaxed ones; here every load reads a store that has run.
void load_buffering(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  auto& y = run.make<cell>("y", 0);
  int a = -1, b = -1;
  run.thread("left", [&] {
    a = x.load(relaxed);
    y.store(1, relaxed);
  });
  run.thread("right", [&] {
    b = y.load(relaxed);
    x.store(1, relaxed);
  });
  run.join();
  seen.insert(outcome(a, b));
}

const litmus_family store_buffering_tests(
    "StoreBuffering",
    {
        {"Relaxed", {"0 0", "0 1", "1 0", "1 1"}, store_buffering<relaxed, relaxed, false, false>},
        {"ReleaseAcquire", {"0 0", "0 1", "1 0", "1 1"}, store_buffering<release, acquire, false, false>},
        {"SeqCst", {"0 1", "1 0", "1 1"}, store_buffering<seq_cst, seq_cst, false, false>},
        {"SeqCstStoreOnly", {"0 0", "0 1", "1 0", "1 1"}, store_buffering<seq_cst, acquire, false, false>},
        {"Fences", {"0 1", "1 0", "1 1"}, store_buffering<relaxed, relaxed, true, true>},
        {"OneFence", {"0 0", "0 1", "1 0", "1 1"}, store_buffering<relaxed, relaxed, true, false>},
        {"FenceAgainstSeqCst", {"0 1", "1 0", "1 1"}, store_buffering_mixed},
        {"LightAndHeavyFence", {"0 1", "1 0", "1 1"}, store_buffering_asymmetric<true>},
        {"LightAndFullFence", {"0 0", "0 1", "1 0", "1 1"}, store_buffering_asymmetric<false>},
        {"ExchangesOfOneObject", {"0 1", "1 0", "1 1"}, store_buffering_exchange},
    });

const litmus_family r_tests("R", {
                                     {"ReleaseAcquire", {"0 1", "0 2", "1 1", "1 2"}, r_shape<release, acquire, false>},
                                     {"SeqCst", {"0 1", "1 1", "1 2"}, r_shape<seq_cst, seq_cst, false>},
                                     {"Fences", {"0 1", "1 1", "1 2"}, r_shape<relaxed, relaxed, true>},
                                 });

const litmus_family load_buffering_tests("LoadBuffering", {{"IsNotModelled", {"0 0", "0 1", "1 0"}, load_buffering}});

}  // namespace
}  // namespace model
