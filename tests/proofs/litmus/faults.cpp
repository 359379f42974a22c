// SPDX-License-Identifier: MIT
// Programs with one fault each, which the explorer must find, and their sound counterparts, in which it must find
// nothing.
#include "litmus.hpp"

namespace model {
namespace {

using word = atomic<std::uint32_t>;
using wait_result = machine::wait_result;

wait_result futex_wait(const word& on, std::uint32_t expected, std::int64_t deadline) {
  return machine::instance().futex_wait(&on, expected, deadline, site::here());
}
void futex_wake(word& on, int count) { machine::instance().futex_wake(&on, count, site::here()); }
void pause() { machine::instance().pause(site::here()); }

void two_flags(execution& run, outcomes& seen) {
  auto& left = run.make<word>("left", 0u);
  auto& right = run.make<word>("right", 0u);
  auto wait_then_set = [](word& first, word& then) {
    while (first.load(acquire) == 0) pause();
    then.store(1, release);
  };
  run.thread("one", [&] { wait_then_set(left, right); });
  run.thread("two", [&] { wait_then_set(right, left); });
  run.join();
  seen.insert("both passed");
}

// A spinner ends if somebody ends it, however stale what it reads at first.
void one_flag(execution& run, outcomes& seen) {
  auto& flag = run.make<word>("flag", 0u);
  run.thread("spinner", [&] {
    while (flag.load(relaxed) == 0) pause();
  });
  run.thread("setter", [&] { flag.store(1, relaxed); });
  run.join();
  seen.insert("passed");
}

// Two that undo each other's work for ever, without a lock to deadlock on.
void mutual_undoing(execution& run, outcomes&) {
  auto& turn = run.make<word>("turn", 0u);
  for (std::uint32_t self = 0; self != 2; ++self) {
    run.thread("undoer", [&turn, self] {
      std::uint32_t mine = self;
      while (!turn.compare_exchange_strong(mine, 1 - self, relaxed, relaxed) || turn.load(relaxed) != 2) mine = self;
    });
  }
  run.join();
}

// Wake before store: the sleeper may find the old value, and the wake has passed.
template <bool StoreFirst>
void sleeper(execution& run, outcomes& seen) {
  auto& bell = run.make<word>("bell", 0u);
  run.thread("sleeper", [&] {
    while (bell.load(acquire) == 0) futex_wait(bell, 0, INT64_MAX);
  });
  run.thread("waker", [&] {
    if (StoreFirst) bell.store(1, release);
    futex_wake(bell, 1);
    if (!StoreFirst) bell.store(1, release);
  });
  run.join();
  seen.insert("awake");
}

void timed_sleeper(execution& run, outcomes& seen) {
  auto& bell = run.make<word>("bell", 0u);
  run.thread("sleeper", [&] { seen.insert(futex_wait(bell, 0, 5) == wait_result::timed_out ? "time" : "else"); });
  run.join();
}

void weak_exchange(execution& run, outcomes& seen) {
  auto& value = run.make<word>("value", 0u);
  run.thread("exchanger", [&] {
    std::uint32_t expected = 0;
    seen.insert(value.compare_exchange_weak(expected, 1, relaxed, relaxed) ? "done" : "failed");
  });
  run.join();
}

void leak(execution& run, outcomes&) {
  auto& drop = run.make<word>("drop", 0u);
  auto& lost = create<int>("lost", 7);
  run.thread("one", [&] {
    if (drop.exchange(1, acq_rel) == 0) destroy(lost);
  });
  run.thread("two", [&] { drop.store(1, relaxed); });
  run.join();
}

// Two owners, of whom the last one frees: with `Order` acq_rel it is sound.
template <order Order>
void last_one_frees(execution& run, outcomes& seen) {
  auto& count = run.make<word>("count", 2u);
  auto& shared = create<int>("shared", 7);
  for (int i = 0; i != 2; ++i) {
    run.thread("owner", [&] {
      require(shared == 7, "a value that nobody wrote");
      if (count.fetch_sub(1, Order) == 1) destroy(shared);
    });
  }
  run.join();
  seen.insert("freed");
}

void double_free(execution& run, outcomes&) {
  auto& count = run.make<word>("count", 2u);
  auto& shared = create<int>("shared", 7);
  for (int i = 0; i != 2; ++i) {
    run.thread("owner", [&] {
      std::uint32_t left = count.load(acquire) - 1;
      count.store(left, release);
      if (left <= 1) destroy(shared);
    });
  }
  run.join();
}

void use_after_free(execution& run, outcomes&) {
  auto& freed = run.make<word>("freed", 0u);
  auto& shared = create<int>("shared", 7);
  run.thread("owner", [&] {
    destroy(shared);
    freed.store(1, release);
  });
  run.thread("user", [&] {
    if (freed.load(acquire) == 1) require(shared == 7, "a value that nobody wrote");
  });
  run.join();
}

void out_of_bounds(execution& run, outcomes&) {
  struct three {
    int values[3];
  };
  auto& place = run.make<word>("place", 0u);
  auto& array = run.make<three>("array");
  run.thread("writer", [&] { array.values[3 + place.load(relaxed)] = 1; });
  run.join();
}

void poisoned(execution& run, outcomes&) {
  auto& flag = run.make<word>("flag", 0u);
  auto& capture = run.make<int>("capture", 7);
  poison(capture);
  run.thread("user", [&] { require(flag.load(relaxed) == 0 && capture == 7, "a value that nobody wrote"); });
  run.join();
}

// An object of atomics that reaches another thread without order.
template <order Store>
void construction(execution& run, outcomes& seen) {
  auto& link = run.make<atomic<word*>>("link", nullptr);
  word* made = nullptr;
  run.thread("maker", [&] {
    made = &create<word>("word", 7u);
    link.store(made, Store);
  });
  run.thread("user", [&] {
    if (word* found = link.load(acquire)) seen.insert(outcome(found->load(relaxed)));
  });
  run.join();
  destroy(*made);
}

const bounds with_time = {.time_passes = true};
const bounds with_surprise = {.surprises = 1};

const litmus_family threads("Threads", {
                                           {"Deadlock", {}, two_flags, "deadlock: one spins"},
                                           {"NoDeadlock", {"passed"}, one_flag},
                                           {"Livelock", {}, mutual_undoing, "does not end", {.steps = 200}},
                                           {"LostWakeUp", {}, sleeper<false>, "sleeper sleeps on bell"},
                                           {"NoLostWakeUp", {"awake"}, sleeper<true>},
                                           {"NobodyWakes", {}, timed_sleeper, "deadlock: sleeper sleeps on bell"},
                                           {"TimeWakes", {"time"}, timed_sleeper, "", with_time},
                                           {"WokenForNoReason", {"awake"}, sleeper<true>, "", with_surprise},
                                           {"WeakExchange", {"done"}, weak_exchange},
                                           {"WeakExchangeFails", {"done", "failed"}, weak_exchange, "", with_surprise},
                                       });

const litmus_family lifetimes("Lifetimes",
                              {
                                  {"Leak", {}, leak, "leak: never freed: lost"},
                                  {"LastOneFrees", {"freed"}, last_one_frees<acq_rel>},
                                  {"LastOneFreesUnordered", {}, last_one_frees<relaxed>, "data race: writes shared"},
                                  {"DoubleFree", {}, double_free, "double free of shared"},
                                  {"UseAfterFree", {}, use_after_free, "use after free: reads shared"},
                                  {"OutOfBounds", {}, out_of_bounds, "outside of any object: writes array+12"},
                                  {"UseAfterEndOfLife", {}, poisoned, "use after end of life: reads capture"},
                                  {"Construction", {"7"}, construction<release>},
                                  {"ConstructionUnordered", {}, construction<relaxed>, "data race: reads atomically"},
                              });

}  // namespace
}  // namespace model
