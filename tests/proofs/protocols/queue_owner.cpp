// SPDX-License-Identifier: MIT
// A thread's queue, which is ended once and when nothing is in it: by the thread, by the driver, by the next thread
// with the same record, or by the end of the engine, of which any two may come at once.
#include "scenario.hpp"

#include "submission/queue_owner.hpp"
#include "threads/thread_link.hpp"

#include <algorithm>
#include <array>

namespace model {
namespace {

using detent::detail::queue_owner;
using detent::detail::thread_link;

// In place of moodycamel's: plain, so that whoever uses it must be ordered after the others.
struct entries {
  std::array<std::uint32_t, 4> values{};
  std::uint32_t pushed = 0, refused = 0;  // the thread's
  std::uint32_t taken = 0;                // the driver's
};

struct record {
  thread_link link;
  queue_owner<entries> owner;
};

void end(entries* ended) {
  if (ended == nullptr) return;
  require(ended->pushed == ended->taken, "ended with entries in it");
  destroy(*ended);
}

// In numbers that grow.
void push(queue_owner<entries>& mine, std::uint32_t value) {
  entries* own = mine.mine();
  if (own == nullptr && (own = mine.resume()) != nullptr) reach("resumed");
  if (own == nullptr) mine.begin(*(own = &create<entries>("queue")));
  own->values[own->pushed++] = value;
  mine.count_pushed(1);
}

void leave(queue_owner<entries>& mine) {
  entries* const ended = mine.leave();
  if (ended != nullptr) reach("the thread ended it");
  end(ended);
}

class driver {
 public:
  explicit driver(queue_owner<entries>& of) : of_(of) {}
  void visit(std::uint32_t room) {
    if (const auto ready = static_cast<std::uint32_t>(of_.ready()); ready != 0) {
      entries& filled = of_.filled();
      const std::uint32_t count = std::min(ready, room);
      for (std::uint32_t i = 0; i != count; ++i)
        require(filled.values[filled.taken++] == ++found_, "an entry that is lost, or comes twice");
      of_.count_taken(count);
    }
    if (!of_.is_left()) return;
    entries* const ended = of_.take_left();
    if (ended != nullptr) reach("the driver ended it");
    end(ended);
  }
  std::uint32_t found() const { return found_; }

 private:
  queue_owner<entries>& of_;
  std::uint32_t found_ = 0;
};

// Queues that were left are ended at the next visit. An object that is not destroyed is a complaint.
void left_against_visits(execution& run) {
  auto& of = run.make<queue_owner<entries>>("owner");
  driver drives(of);
  run.thread("thread", [&] {
    push(of, 1);
    push(of, 2);
    of.mine()->refused = 1;  // by a push that finds no memory
    leave(of);
  });
  run.thread("driver", [&] {
    for (std::uint32_t i = 0; i != 2; ++i) drives.visit(1);
  });
  run.join();
  for (std::uint32_t i = 0; i != 3; ++i) drives.visit(1);
  require(drives.found() == 2, "an entry that no visit finds");
}

// The record passes to a thread that comes as the other goes, and pushes; it leaves in its turn.
void passed_on(execution& run) {
  auto& shared = run.make<record>("record");
  driver drives(shared.owner);
  const auto ends = [&] {
    require(shared.link.leave(), "no engine");
    leave(shared.owner);
    shared.link.left();
  };
  bool adopted = false;
  run.thread("first", [&] {
    push(shared.owner, 1);
    ends();
  });
  run.thread("second", [&] {
    adopted = shared.link.adopt();
    if (!adopted) return;
    push(shared.owner, 2);
    ends();
  });
  run.thread("driver", [&] {
    for (std::uint32_t i = 0; i != 2; ++i) drives.visit(2);
  });
  run.join();
  for (std::uint32_t i = 0; i != 2; ++i) drives.visit(2);
  require(drives.found() == (adopted ? 2 : 1), "an entry that no visit finds");
}

// The engine ends with a thread that has something in its queue, or nothing, and may end itself at the same time.
template <bool Taken>
void with_the_engine(execution& run) {
  auto& shared = create<record>("record");
  push(shared.owner, 1);
  if (Taken) driver(shared.owner).visit(1);
  const auto drop = [](entries* ended) {
    if (ended == nullptr) return;
    reach("the engine ended it");
    destroy(*ended);
  };
  run.thread("thread", [&] {
    if (!shared.link.leave()) return destroy(shared);
    leave(shared.owner);
    shared.link.left();
  });
  run.thread("engine", [&] {
    drop(shared.owner.retire());
    if (!shared.link.end_engine()) return;
    drop(shared.owner.retire());
    destroy(shared);
  });
  run.join();
}

const suite queue_owners(
    "QueueOwner",
    {
        {"LeftAgainstVisits", left_against_visits, {.preemptions = 3}, {"the thread ended it", "the driver ended it"}},
        {"PassedOn", passed_on, {.preemptions = 3, .weak = {.stale = 2}}, {"resumed", "the driver ended it"}},
        {"TakenWithTheEngine",
         with_the_engine<true>,
         {.preemptions = 8},
         {"the thread ended it", "the engine ended it"}},
        {"LeftWithTheEngine", with_the_engine<false>, {.preemptions = 8}, {"the engine ended it"}},
    });

}  // namespace
}  // namespace model
