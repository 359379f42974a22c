// SPDX-License-Identifier: MIT
// A thread that ends against an engine that ends: which of them frees the record that the one keeps for the other.
#include "scenario.hpp"
#include "threads/call_hazard.hpp"

#include "threads/thread_link.hpp"

namespace model {
namespace {

using detent::detail::thread_link;

struct record {
  thread_link link;
  int cache = 0;  // plain: belongs to the holder of the record
};

// The data that a leaving thread may touch until it has left.
struct engine {
  detent::base::atomic<std::uint32_t> depot{0};
};

void thread_ends(engine& owner, record& mine) {
  mine.cache = 1;
  if (!mine.link.leave()) return destroy(mine);
  owner.depot.fetch_add(1, detent::base::release);
  mine.cache = 0;
  mine.link.left();
}

void engine_ends(engine& owner, record& of_thread) {
  if (of_thread.link.end_engine()) {
    require(of_thread.cache == 0, "a record that was not flushed");
    destroy(of_thread);
  }
  destroy(owner);
}

void both_end(execution& run) {
  auto& owner = create<engine>("engine");
  auto& shared = create<record>("record");
  run.thread("thread", [&] { thread_ends(owner, shared); });
  run.thread("engine", [&] { engine_ends(owner, shared); });
  run.join();
}

// The record passes on to a thread that comes as the other goes, and ends in its turn.
void passed_on(execution& run) {
  auto& owner = create<engine>("engine");
  auto& shared = create<record>("record");
  run.thread("first", [&] { thread_ends(owner, shared); });
  run.thread("second", [&] {
    if (!shared.link.adopt()) return;
    reach("adopted");
    require(shared.cache == 0, "adopted before it was flushed");
    thread_ends(owner, shared);
  });
  run.join();
  engine_ends(owner, shared);
}

// Two threads come for the record of one that has gone.
void adopted_once(execution& run) {
  auto& owner = create<engine>("engine");
  auto& shared = create<record>("record");
  require(shared.link.leave(), "a record without an owner");
  shared.link.left();
  bool adopted[2] = {};
  for (bool& mine : adopted) {
    run.thread("comer", [&] {
      mine = shared.link.adopt();
      if (!mine) return;
      shared.cache = 1;
      shared.cache = 0;
    });
  }
  run.join();
  require(adopted[0] != adopted[1], "not adopted exactly once");
  require(shared.link.leave(), "adopted, and not owned");
  shared.link.left();
  engine_ends(owner, shared);
}

// The thread goes on after the engine has ended, and finds out later. Until then the engine takes out of the record
// what is its own, which the thread does not touch meanwhile.
void found_out_later(execution& run) {
  auto& owner = create<engine>("engine");
  auto& shared = create<record>("record");
  run.thread("thread", [&] {
    for (int i = 0; i != 2; ++i) {
      if (!shared.link.engine_gone()) continue;
      reach("the engine had gone");
      require(shared.cache == 2, "freed under the engine's hands");
      return destroy(shared);
    }
    if (!shared.link.leave()) return destroy(shared);
    shared.link.left();
  });
  run.thread("engine", [&] {
    shared.cache = 2;
    if (shared.link.end_engine()) destroy(shared);
    destroy(owner);
  });
  run.join();
}

using detent::detail::call_hazard;

constexpr auto pause = [](const auto&) { detent::base::cpu_pause(); };

// A call publishes a timer, whose callback destroys the engine before the call has returned.
void ended_by_what_a_call_publishes(execution& run) {
  auto& owner = create<engine>("engine");
  auto& due = run.make<detent::base::atomic<std::uint32_t>>("the timer", 0u);
  auto& hazard = run.make<call_hazard>("hazard");
  bool ended = false;
  run.thread("caller", [&] {
    hazard.raise();
    due.store(1, detent::base::release);
    owner.depot.fetch_add(1, detent::base::relaxed);
    hazard.lower();
  });
  run.thread("driver", [&] {
    if (due.load(detent::base::acquire) == 0) return;
    reach("fired");
    hazard.wait(pause);
    destroy(owner);
    ended = true;
  });
  run.join();
  if (!ended) destroy(owner);
}

// A call inside another one, as a restart that is counted for a label: it must not lower the flag of the outer one.
void ended_inside_a_nested_call(execution& run) {
  auto& owner = create<engine>("engine");
  auto& due = run.make<detent::base::atomic<std::uint32_t>>("the timer", 0u);
  auto& hazard = run.make<call_hazard>("hazard");
  bool ended = false;
  run.thread("caller", [&] {
    call_hazard::scope outer(hazard);
    {
      call_hazard::scope inner(hazard);
      due.store(1, detent::base::release);
    }
    owner.depot.fetch_add(1, detent::base::relaxed);
  });
  run.thread("driver", [&] {
    if (due.load(detent::base::acquire) == 0) return;
    hazard.wait(pause);
    destroy(owner);
    ended = true;
  });
  run.join();
  if (!ended) destroy(owner);
}

// A thread that nothing orders before the end signals the engine's descriptor, or finds that there is none.
void signals_as_it_ends(execution& run) {
  auto& fd = run.make<detent::base::atomic<int>>("fd", 5);
  auto& opened = run.make<int>("the descriptor of that number", 1);
  auto& hazard = run.make<call_hazard>("hazard");
  run.thread("caller", [&] {
    call_hazard::fenced_scope in_use(hazard);
    if (fd.load(detent::base::relaxed) == -1) return reach("found none");
    require(opened == 1, "signalled what another has opened");
    reach("signalled");
  });
  run.thread("engine", [&] {
    fd.exchange(-1, detent::base::relaxed);
    hazard.wait(pause);
    opened = 2;
  });
  run.join();
}

const suite thread_exit(
    "ThreadExit", {
                      {"BothEnd", both_end, {.preemptions = 8}},
                      {"PassedOn", passed_on, {.preemptions = 8}, {"adopted"}},
                      {"AdoptedOnce", adopted_once, {.preemptions = 8}},
                      {"FoundOutLater", found_out_later, {.preemptions = 8}, {"the engine had gone"}},
                      {"EndedByWhatACallPublishes", ended_by_what_a_call_publishes, {.preemptions = 8}, {"fired"}},
                      {"EndedInsideANestedCall", ended_inside_a_nested_call, {.preemptions = 8}},
                      {"SignalsAsItEnds", signals_as_it_ends, {.preemptions = 8}, {"found none", "signalled"}},
                  });

}  // namespace
}  // namespace model
