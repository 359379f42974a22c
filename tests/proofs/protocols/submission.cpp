// SPDX-License-Identifier: MIT
// Submission: what producers report to the driver about nodes that live on meanwhile. Entries may be stale in every
// way; the wheel's links belong to the driver alone.
#include "submission.hpp"
#include "scenario.hpp"
#include "timers.hpp"

namespace model {
namespace {

using states::cancel_transition;
using states::take_up_result;

constexpr std::int64_t now = 10;

// Entries: which life of which node, and whether to file or to reap it.
constexpr std::uint64_t reap_bit = std::uint64_t{1} << 63;
constexpr std::uint64_t entry(std::uint64_t kind, std::uint32_t index, std::uint32_t generation) {
  return kind | std::uint64_t{generation} << 8 | index;
}

struct filed_timer : timer {
  bool filed = false;  // stands for the links: plain, the driver's
};

template <std::uint32_t Producers>
struct engine {
  submission_stand_in<Producers, 4> queue;
  filed_timer timers[2];
};

// As the driver's side of the engine, without a wheel.
template <std::uint32_t Producers>
class driver {
 public:
  explicit driver(engine<Producers>& host) : host_(host) {}

  void drain() {
    host_.queue.take_all([this](std::uint64_t each) {
      filed_timer& named = host_.timers[each & 0xff];
      auto generation = static_cast<std::uint32_t>(each >> 8 & 0xffff);
      (each & reap_bit) == 0 ? arm(named, generation) : reap(named, generation);
    });
  }
  // The slot comes round: what was cancelled is taken out, and freed if its canceller is done with it.
  void turn() {
    for (filed_timer& each : host_.timers) {
      if (!each.filed) continue;
      std::uint64_t word = 0;
      std::int64_t deadline = 0;
      if (start_if_due(each, now, word, deadline)) {
        each.filed = false;
        each.run();
        end_firing(each, word);
        ++fired_;
      } else if (state_word::state(word) == timer_state::cancelled) {
        each.filed = false;
        if ((word & state_word::emptied) != 0) free(each);
      }
    }
  }
  int fired() const { return fired_; }

 private:
  void arm(filed_timer& named, std::uint32_t generation) {
    take_up_result found = states::take_up(named.pair, generation);
    if (found != take_up_result::armed) return;
    require(!named.filed, "a node is filed twice");
    named.filed = true;
  }
  void reap(filed_timer& named, std::uint32_t generation) {
    std::uint64_t word = states::observe(named.pair);
    if (state_word::generation(word) != generation || state_word::state(word) != timer_state::cancelled) return;
    named.filed = false;
    free(named);
  }
  void free(filed_timer& named) {
    require(named.callable == 0, "a node is freed whose callable is still there");
    require(states::release(named.pair), "used up");
  }

  engine<Producers>& host_;
  int fired_ = 0;
};

template <std::uint32_t Producers>
class producer {
 public:
  producer(engine<Producers>& host, std::uint32_t self) : host_(host), self_(self) {}

  void schedule(std::uint32_t index, std::int64_t deadline) {
    filed_timer& mine = host_.timers[index];
    require(!mine.filed, "a node is used that is still filed");
    std::uint32_t generation = state_word::generation(mine.word());
    mine.publish(5, timer_state::queued, deadline);
    host_.queue.push(self_, entry(0, index, generation));
  }
  // True: the node is the caller's again.
  bool cancel(std::uint32_t index, std::uint32_t generation) {
    filed_timer& mine = host_.timers[index];
    cancel_transition done = states::cancel(mine.pair, generation, false);
    if (done == cancel_transition::gone || done == cancel_transition::marked_last) return false;
    mine.destroy_callable();
    ++cancelled_;
    if (done == cancel_transition::from_armed) {
      states::mark_emptied(mine.pair);
      host_.queue.push(self_, entry(reap_bit, index, generation));
      return false;
    }
    require(states::release(mine.pair), "used up");
    return true;
  }
  int cancelled() const { return cancelled_; }

 private:
  engine<Producers>& host_;
  std::uint32_t self_;
  int cancelled_ = 0;
};

// The entry brings the node: what was written before, and the deadline that belongs to it.
void one_timer_each(execution& run) {
  auto& host = run.make<engine<2>>("engine");
  driver<2> drive(host);
  for (std::uint32_t i = 0; i != 2; ++i) {
    run.thread("producer", [&host, i] { producer<2>(host, i).schedule(i, now); });
  }
  run.thread("driver", [&] {
    drive.drain();
    drive.turn();
  });
  run.join();
  drive.drain();
  drive.turn();
  require(drive.fired() == 2, "a timer was lost");
}

// Scheduled, cancelled, and the node used again at once where it is free: up to four entries about one node.
void short_lives(execution& run) {
  auto& host = run.make<engine<1>>("engine");
  driver<1> drive(host);
  int ended = 0, scheduled = 1;
  run.thread("producer", [&] {
    producer<1> self(host, 0);
    self.schedule(0, now);
    if (self.cancel(0, 0)) {
      self.schedule(0, now);
      ++scheduled;
      self.cancel(0, 1);
    }
    ended = self.cancelled();
  });
  run.thread("driver", [&] {
    drive.drain();
    drive.turn();
    drive.drain();
  });
  run.join();
  drive.drain();
  drive.turn();
  if (ended == 2) reach("two lives cancelled");
  if (drive.fired() != 0) reach("fired");
  require(ended + drive.fired() == scheduled, "not each timer ended exactly once");
  require(host.timers[0].state() == timer_state::free && !host.timers[0].filed, "a node was lost");
}

// Cancelled by a thread that did not schedule it, whose entry may come before the other's.
void reaped_first(execution& run) {
  auto& host = run.make<engine<2>>("engine");
  producer<2>(host, 0).schedule(0, now);
  driver<2> drive(host);
  int ended = 0;
  run.thread("canceller", [&] {
    producer<2> self(host, 1);
    self.cancel(0, 0);
    ended = self.cancelled();
  });
  run.thread("driver", [&] {
    drive.drain();
    drive.turn();
    drive.drain();
  });
  run.join();
  drive.drain();
  drive.turn();
  require(ended + drive.fired() == 1, "not ended exactly once");
  require(host.timers[0].state() == timer_state::free && !host.timers[0].filed, "the node was lost");
}

const suite submission("Submission",
                       {
                           {"OneTimerEach", one_timer_each},
                           {"ShortLives", short_lives, {.preemptions = 4}, {"two lives cancelled", "fired"}},
                           {"ReapedByAnother", reaped_first, {.preemptions = 6}},
                       });

}  // namespace
}  // namespace model
