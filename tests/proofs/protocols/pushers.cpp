// SPDX-License-Identifier: MIT
// Which producers have something: no mark is missed, whoever clears it meanwhile.
#include "scenario.hpp"
#include "wake_up.hpp"

#include "submission/pushers.hpp"

#include <array>

namespace model {
namespace {

using detent::detail::pusher;
using detent::detail::pushers;
using detent::detail::visit;

// A queue of which the driver visits those producers alone that have marked themselves.
template <std::uint32_t Producers>
class marked_queue {
 public:
  // As the driver has met each before: it is marked if `marked`, and was busy in the round before.
  explicit marked_queue(bool marked) {
    for (each& one : producers_) require(set_.enrol(one), "no place for a producer");
    if (!marked) return;
    for (each& one : producers_) set_.mark(one);
    take(1, [](std::uint64_t) {});
  }

  void push(std::uint32_t producer, std::uint64_t entry) {
    each& mine = producers_[producer];
    mine.entries[mine.pushed++] = entry;
    mine.reported.store(mine.pushed, detent::base::release);  // (1) release: pairs with (2)
  }
  bool mark_if_needed(std::uint32_t producer) {
    if (producers_[producer].is_marked()) return false;
    set_.mark(producers_[producer]);
    reach("marked");
    return true;
  }
  template <class F>
  void take(std::size_t room, F&& f) {
    set_.visit_marked([&](pusher& marked) {
      each& one = static_cast<each&>(marked);
      const std::uint32_t seen = one.reported.load(detent::base::acquire);  // (2) acquire: pairs with (1)
      if (one.taken == seen) return visit::nothing;
      for (; one.taken != seen && room != 0; --room) f(one.entries[one.taken++]);
      return room == 0 ? visit::enough : visit::some;
    });
  }
  void forget_idle() { set_.unmark_idle(); }
  void forget_idle(doorbell& bell) { set_.forget_idle(bell); }

 private:
  static constexpr std::uint32_t most = 2;
  struct each : pusher {
    std::array<std::uint64_t, most> entries{};
    std::uint32_t pushed = 0;  // the producer's
    std::uint32_t taken = 0;   // the driver's
    detent::base::atomic<std::uint32_t> reported{0};
  };
  std::array<each, Producers> producers_;
  pushers set_;
};

template <std::uint32_t Producers>
struct marked_front : signalled_front {
  explicit marked_front(bool marked) : queue(marked) {}
  marked_queue<Producers> queue;

  void submit(std::uint32_t producer, nanoseconds_t deadline) {
    queue.push(producer, static_cast<std::uint64_t>(deadline));
    const auto mark = [&] { return queue.mark_if_needed(producer); };
    if (detent::detail::has_to_ring(bell, rescan, deadline, true, mark)) after_ring(bell.ring_for_earlier(deadline));
  }
};

template <std::uint32_t Producers, bool Asymmetric>
marked_front<Producers>& make_marked(execution& run, bool marked) {
  auto& shared = run.make<marked_front<Producers>>("front", marked);
  shared.bell.allow_asymmetric(Asymmetric);
  if (Asymmetric) shared.bell.begin_asymmetric();
  shared.bell.raise(soon);
  return shared;
}

// The driver clears the marks with a raise of its wake time, while others push what is earlier than the new one.
template <std::uint32_t Producers, bool Asymmetric, bool Marked>
void raise_against_push(execution& run) {
  auto& shared = make_marked<Producers, Asymmetric>(run, Marked);
  run.thread("driver", [&] {
    deadlines wheel;
    driver(shared, wheel, soon).drive_until(earliest);
  });
  for (std::uint32_t i = 0; i != Producers; ++i)
    run.thread("producer", [&shared, i] { shared.submit(i, i == 0 ? earliest : early); });
  run.join();
}

// Two pushes of one producer, whose mark is cleared between them or under them.
template <bool Asymmetric>
void raises_against_two_pushes(execution& run) {
  auto& shared = make_marked<1, Asymmetric>(run, true);
  run.thread("driver", [&] {
    all_entries wheel{2};
    driver(shared, wheel, soon).drive_until(earliest);
  });
  run.thread("producer", [&] {
    shared.submit(0, early);
    shared.submit(0, earliest);
  });
  run.join();
}

// Without a raise, as in polls of an engine without a descriptor: what is not found now is found by the next one.
template <bool Asymmetric>
void polls_against_pushes(execution& run) {
  auto& shared = make_marked<2, Asymmetric>(run, true);
  shared.bell.raise(earliest - 1);
  unsigned found = 0;
  const auto poll = [&] {
    shared.queue.forget_idle(shared.bell);
    shared.queue.take(4, [&](std::uint64_t) { ++found; });
  };
  run.thread("driver", [&] {
    for (int i = 0; i != 3; ++i) poll();
  });
  run.thread("producer", [&] {
    shared.submit(0, early);
    shared.submit(0, early);
  });
  run.thread("other", [&] { shared.submit(1, early); });
  run.join();
  poll();
  require(found == 3, "an entry that no poll finds");
}

const bounds two = {.preemptions = 2, .weak = {.stale = 2}};

const suite marks("Pushers", {
                                 {"ARaiseAgainstAMark", raise_against_push<1, false, false>, {}, {"marked"}},
                                 {"ARaiseAgainstAClearing", raise_against_push<1, false, true>, {}, {"marked"}},
                                 {"AHeavyRaiseAgainstAMark", raise_against_push<1, true, false>, {}, {"marked"}},
                                 {"AHeavyRaiseAgainstAClearing", raise_against_push<1, true, true>, {}, {"marked"}},
                                 {"ARaiseAgainstTwo", raise_against_push<2, false, true>, two, {"marked"}},
                                 {"AHeavyRaiseAgainstTwo", raise_against_push<2, true, true>, two, {"marked"}},
                                 {"RaisesAgainstTwoPushes", raises_against_two_pushes<false>, two, {"marked"}},
                                 {"HeavyRaisesAgainstTwoPushes", raises_against_two_pushes<true>, two, {"marked"}},
                                 {"PollsAgainstPushes", polls_against_pushes<false>, two, {"marked"}},
                                 {"HeavyPollsAgainstPushes", polls_against_pushes<true>, two, {"marked"}},
                             });

}  // namespace
}  // namespace model
