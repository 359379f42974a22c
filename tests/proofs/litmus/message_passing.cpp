// SPDX-License-Identifier: MIT
// Message passing, by operations and by fences; on plain data; through read-modify-writes; through a third thread.
#include "litmus.hpp"

namespace model {
namespace {

// data = 1; flag = 1  |  a = flag; b = data
template <order Store, order Load, bool FenceBeforeStore, bool FenceAfterLoad>
void message_passing(execution& run, outcomes& seen) {
  auto& data = run.make<cell>("data", 0);
  auto& flag = run.make<cell>("flag", 0);
  int a = -1, b = -1;
  run.thread("sender", [&] {
    data.store(1, relaxed);
    if (FenceBeforeStore) fence(release);
    flag.store(1, Store);
  });
  run.thread("receiver", [&] {
    a = flag.load(Load);
    if (FenceAfterLoad) fence(acquire);
    b = data.load(relaxed);
  });
  run.join();
  seen.insert(outcome(a, b));
}

template <order Store, order Load>
void plain_data(execution& run, outcomes& seen) {
  auto& data = run.make<int>("data", 0);
  auto& flag = run.make<cell>("flag", 0);
  int a = -1;
  run.thread("sender", [&] {
    data = 1;
    flag.store(1, Store);
  });
  run.thread("receiver", [&] {
    if (flag.load(Load) == 1) a = data;
  });
  run.join();
  seen.insert(outcome(a));
}

// A write after the release is not published by it.
void plain_data_too_late(execution& run, outcomes&) {
  auto& data = run.make<int>("data", 0);
  auto& flag = run.make<cell>("flag", 0);
  run.thread("sender", [&] {
    flag.store(1, release);
    data = 1;
  });
  run.thread("receiver", [&] {
    if (flag.load(acquire) == 1) require(data >= 0, "a value that nobody wrote");
  });
  run.join();
}

// Fences that are sequentially consistent order loads, not plain data.
void plain_data_fences_alone(execution& run, outcomes&) {
  auto& data = run.make<int>("data", 0);
  run.thread("sender", [&] {
    data = 1;
    fence(seq_cst);
  });
  run.thread("receiver", [&] {
    fence(seq_cst);
    require(data >= 0, "a value that nobody wrote");
  });
  run.join();
}

// data = 1; flag = 1 (release)  |  flag changes from 1 to 2 by `Middle`  |  a = flag; b = data, if a == 2
enum class middle { exchange, store };
template <middle By>
void release_sequence(execution& run, outcomes& seen) {
  auto& data = run.make<cell>("data", 0);
  auto& flag = run.make<cell>("flag", 0);
  int a = -1, b = -1;
  run.thread("sender", [&] {
    data.store(1, relaxed);
    flag.store(1, release);
  });
  run.thread("middle", [&] {
    if (By == middle::exchange) {
      int expected = 1;
      flag.compare_exchange_strong(expected, 2, relaxed, relaxed);
    } else if (flag.load(relaxed) == 1) {
      flag.store(2, relaxed);
    }
  });
  run.thread("receiver", [&] {
    a = flag.load(acquire);
    b = data.load(relaxed);
  });
  run.join();
  if (a == 2) seen.insert(outcome(a, b));
}

// A later relaxed store of the releasing thread itself is no part of its release sequence (since C++20).
void release_sequence_own_store(execution& run, outcomes& seen) {
  auto& data = run.make<cell>("data", 0);
  auto& flag = run.make<cell>("flag", 0);
  int a = -1, b = -1;
  run.thread("sender", [&] {
    data.store(1, relaxed);
    flag.store(1, release);
    flag.store(2, relaxed);
  });
  run.thread("receiver", [&] {
    a = flag.load(acquire);
    b = data.load(relaxed);
  });
  run.join();
  if (a == 2) seen.insert(outcome(a, b));
}

// x = 1  |  a = x; y = 1  |  b = y; c = x. Outcome: those with a = 1 and b = 1.
template <order Store, order Load>
void write_to_read_causality(execution& run, outcomes& seen) {
  auto& x = run.make<cell>("x", 0);
  auto& y = run.make<cell>("y", 0);
  int a = -1, b = -1, c = -1;
  run.thread("writer", [&] { x.store(1, relaxed); });
  run.thread("middle", [&] {
    a = x.load(relaxed);
    y.store(1, Store);
  });
  run.thread("reader", [&] {
    b = y.load(Load);
    c = x.load(relaxed);
  });
  run.join();
  if (a == 1 && b == 1) seen.insert(outcome(c));
}

const litmus_family message_passing_tests(
    "MessagePassing",
    {
        {"Relaxed", {"0 0", "0 1", "1 0", "1 1"}, message_passing<relaxed, relaxed, false, false>},
        {"ReleaseAcquire", {"0 0", "0 1", "1 1"}, message_passing<release, acquire, false, false>},
        {"ReleaseOnly", {"0 0", "0 1", "1 0", "1 1"}, message_passing<release, relaxed, false, false>},
        {"AcquireOnly", {"0 0", "0 1", "1 0", "1 1"}, message_passing<relaxed, acquire, false, false>},
        {"Fences", {"0 0", "0 1", "1 1"}, message_passing<relaxed, relaxed, true, true>},
        {"FenceAndAcquire", {"0 0", "0 1", "1 1"}, message_passing<relaxed, acquire, true, false>},
        {"ReleaseAndFence", {"0 0", "0 1", "1 1"}, message_passing<release, relaxed, false, true>},
        {"PlainData", {"-1", "1"}, plain_data<release, acquire>},
        {"PlainDataRelaxedStore", {}, plain_data<relaxed, acquire>, "data race"},
        {"PlainDataRelaxedLoad", {}, plain_data<release, relaxed>, "data race"},
        {"PlainDataBehindTheRelease", {}, plain_data_too_late, "data race"},
        {"PlainDataFencesAlone", {}, plain_data_fences_alone, "data race"},
        {"ReleaseSequenceByExchange", {"2 1"}, release_sequence<middle::exchange>},
        {"ReleaseSequenceEndsAtAStore", {"2 0", "2 1"}, release_sequence<middle::store>},
        {"ReleaseSequenceEndsAtAnOwnStore", {"2 0", "2 1"}, release_sequence_own_store},
    });

const litmus_family causality_tests("WriteToReadCausality",
                                    {
                                        {"Relaxed", {"0", "1"}, write_to_read_causality<relaxed, relaxed>},
                                        {"ReleaseAcquire", {"1"}, write_to_read_causality<release, acquire>},
                                    });

}  // namespace
}  // namespace model
