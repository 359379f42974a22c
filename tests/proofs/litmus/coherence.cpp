// SPDX-License-Identifier: MIT
// Coherence of one object, the modification orders of two (2+2W, S), independent reads of independent writes, and the
// atomicity of read-modify-writes.
#include "litmus.hpp"

namespace model {
namespace {

// x = 1; x = 2  |  a = x; b = x
void read_read(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  int a = -1, b = -1;
  run.thread("writer", [&] {
    x.store(1, relaxed);
    x.store(2, relaxed);
  });
  run.thread("reader", [&] {
    a = x.load(relaxed);
    b = x.load(relaxed);
  });
  run.join();
  seen.insert(outcome(a, b));
}

// x = 1  |  x = 2  |  two readers, which must agree on the order of the two
void read_read_by_two(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  int first[2] = {-1, -1}, second[2] = {-1, -1};
  run.thread("one", [&] { x.store(1, relaxed); });
  run.thread("two", [&] { x.store(2, relaxed); });
  for (int i = 0; i != 2; ++i) {
    run.thread("reader", [&, i] {
      first[i] = x.load(relaxed);
      second[i] = x.load(relaxed);
    });
  }
  run.join();
  bool agree = true;
  for (int i = 0; i != 2; ++i) agree &= !(first[i] == 1 && second[i] == 2 && first[1 - i] == 2 && second[1 - i] == 1);
  seen.insert(agree ? "agree" : "disagree");
}

// x = 1; a = x  |  x = 2. Outcome: a, and x at the end.
void write_read(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  int a = -1;
  run.thread("left", [&] {
    x.store(1, relaxed);
    a = x.load(relaxed);
  });
  run.thread("right", [&] { x.store(2, relaxed); });
  run.join();
  seen.insert(outcome(a, x.load(relaxed)));
}

// a = x; x = 1  |  x = 2
void read_write(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  int a = -1;
  run.thread("left", [&] {
    a = x.load(relaxed);
    x.store(1, relaxed);
  });
  run.thread("right", [&] { x.store(2, relaxed); });
  run.join();
  seen.insert(outcome(a, x.load(relaxed)));
}

// x = 1; y = 2  |  y = 1; x = 2. Outcome: both at the end.
template <order Store, bool Fences>
void two_plus_two_writes(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  auto& y = run.make<cell>("y", 0);
  run.thread("left", [&] {
    x.store(1, Store);
    if (Fences) fence(seq_cst);
    y.store(2, Store);
  });
  run.thread("right", [&] {
    y.store(1, Store);
    if (Fences) fence(seq_cst);
    x.store(2, Store);
  });
  run.join();
  seen.insert(outcome(x.load(relaxed), y.load(relaxed)));
}

// x = 2; y = 1  |  a = y; x = 1. Outcome: a, and x at the end.
template <order Store, order Load>
void s_shape(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  auto& y = run.make<cell>("y", 0);
  int a = -1;
  run.thread("left", [&] {
    x.store(2, relaxed);
    y.store(1, Store);
  });
  run.thread("right", [&] {
    a = y.load(Load);
    x.store(1, relaxed);
  });
  run.join();
  seen.insert(outcome(a, x.load(relaxed)));
}

// x = 1  |  y = 1  |  a = x; b = y  |  c = y; d = x. Outcome: whether the readers saw the writes in two orders.
template <order Store, order Load, bool Fences>
void independent_reads(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  auto& y = run.make<cell>("y", 0);
  int a = -1, b = -1, c = -1, d = -1;
  run.thread("x", [&] { x.store(1, Store); });
  run.thread("y", [&] { y.store(1, Store); });
  run.thread("x first", [&] {
    a = x.load(Load);
    if (Fences) fence(seq_cst);
    b = y.load(Load);
  });
  run.thread("y first", [&] {
    c = y.load(Load);
    if (Fences) fence(seq_cst);
    d = x.load(Load);
  });
  run.join();
  seen.insert(a == 1 && b == 0 && c == 1 && d == 0 ? "two orders" : "one order");
}

void additions(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  for (int i = 0; i != 3; ++i) run.thread("adder", [&] { x.fetch_add(1, relaxed); });
  run.join();
  seen.insert(outcome(x.load(relaxed)));
}

// A store comes before or after a read-modify-write of another thread, never between its two halves.
void store_against_addition(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  int before = -1;
  run.thread("adder", [&] { before = x.fetch_add(10, relaxed); });
  run.thread("writer", [&] { x.store(1, relaxed); });
  run.join();
  seen.insert(outcome(before, x.load(relaxed)));
}

const litmus_family coherence_tests("Coherence",
                                    {
                                        {"ReadRead", {"0 0", "0 1", "0 2", "1 1", "1 2", "2 2"}, read_read},
                                        {"ReadReadByTwo", {"agree"}, read_read_by_two},
                                        {"WriteRead", {"1 1", "1 2", "2 2"}, write_read},
                                        {"ReadWrite", {"0 1", "0 2", "2 1"}, read_write},
                                    });

const litmus_family two_plus_two_tests(
    "TwoPlusTwoWrites", {
                            {"Relaxed", {"1 1", "1 2", "2 1", "2 2"}, two_plus_two_writes<relaxed, false>},
                            {"Release", {"1 1", "1 2", "2 1", "2 2"}, two_plus_two_writes<release, false>},
                            {"SeqCst", {"1 2", "2 1", "2 2"}, two_plus_two_writes<seq_cst, false>},
                            {"Fences", {"1 2", "2 1", "2 2"}, two_plus_two_writes<relaxed, true>},
                        });

const litmus_family s_tests("S", {
                                     {"Relaxed", {"0 1", "0 2", "1 1", "1 2"}, s_shape<relaxed, relaxed>},
                                     {"ReleaseAcquire", {"0 1", "0 2", "1 1"}, s_shape<release, acquire>},
                                 });

const litmus_family independent_read_tests(
    "IndependentReads", {
                            {"Relaxed", {"one order", "two orders"}, independent_reads<relaxed, relaxed, false>},
                            {"ReleaseAcquire", {"one order", "two orders"}, independent_reads<release, acquire, false>},
                            {"SeqCst", {"one order"}, independent_reads<seq_cst, seq_cst, false>},
                            {"Fences", {"one order"}, independent_reads<relaxed, relaxed, true>},
                        });

const litmus_family update_tests("Updates", {
                                                {"NoneIsLost", {"3"}, additions},
                                                {"NothingComesBetween", {"0 1", "1 11"}, store_against_addition},
                                            });

}  // namespace
}  // namespace model
