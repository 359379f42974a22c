// SPDX-License-Identifier: MIT
// Everything at once: threads that schedule, cancel and restart each other's timers while they expire, round after
// round with another engine each, and a ledger that accounts for every timer. README.md says what a round may have.
#include "storm/aged_nodes.hpp"
#include "storm/neighbours.hpp"
#include "storm/player.hpp"
#include "storm/runner.hpp"

#include <algorithm>
#include <barrier>
#include <filesystem>

namespace {

using namespace stress;
using namespace std::chrono_literals;

class round_of_storm {
 public:
  explicit round_of_storm(const round_plan& plan) : plan_(plan), random_(plan.seed) {
    scene_.odds = plan.odds;
    scene_.seed(plan.seed);
    set_up(scene_, random_);
    accounts_.emplace(scene_.accounts, scene_.options.tick);
    scene_.book = &*accounts_;
  }

  tally play() {
    neighbours around(plan_.threads + 1);
    scene_.neighbours = &around;
    detent::engine_metrics reported;
    {
      detent::engine engine(scene_.options);
      begin(engine);
      if (scene_.stopped_in_midst) {
        stop_in_the_midst(engine);
      } else {
        use(engine);
        if (!scene_.unstopped) stop(engine);
      }
      reported = engine.metrics();
      for (const auto& each : scene_.groups)
        require(scene_.unstopped || each->group.pending() == 0, "a group has members after stop()");
    }
    scene_.over = true;
    scene_.groups.clear();
    while (scene_.moody && scene_.moody->work_off(random_)) {  // the engine is gone: nothing may happen
    }
    accounts_->add(scene_.counts());
    if (scene_.unstopped) {
      accounts_->end_all();
      accounts_->settle();
    } else {
      check(std::move(reported));
    }
    return accounts_->total();
  }

 private:
  void begin(detent::engine& engine) {
    scene_.engine = &engine;
    for (int i = 0; i < 3 && scene_.odds.groups != 0; ++i)
      scene_.groups.push_back(std::make_unique<shared_group>(engine));
    if (scene_.aged) scene_.first_handles = age_nodes(engine, scene_.accounts + 8, random_);
  }

  // A thread's part. In step, no thread gets far ahead of the others, so that the orders which they count coincide.
  void play_part(random_numbers& random, std::barrier<>* in_step) {
    player one(scene_, random);
    const std::uint64_t most = plan_.operations / plan_.threads + 1;
    for (int after = 0; after < 8;) {
      if (in_step != nullptr) in_step->arrive_and_wait();
      for (int i = 0; i < 32; ++i) one.step();
      if (scene_.stopped_in_midst) {
        after += scene_.engine->stopped();
        std::this_thread::yield();  // to the threads that stop
      } else if (one.counts().*plan_.count >= most || detent::clock::now() >= plan_.until) {
        break;
      }
    }
    if (in_step != nullptr) in_step->arrive_and_drop();
    scene_.add(one.counts());
  }

  void use(detent::engine& engine) {
    const unsigned producers = scene_.in_step ? std::min(plan_.threads, 2u) : plan_.threads;
    std::barrier<> together(producers);
    std::atomic<unsigned> running{producers};
    crew threads(producers, plan_.seed, [&](unsigned, random_numbers& mine) {
      play_part(mine, scene_.in_step ? &together : nullptr);
      --running;
    });
    if (scene_.aged) drive(engine, running);
    while (scene_.starved && detent::clock::now() < plan_.until) {
      scene_.gate = true;
      std::this_thread::sleep_for(detent::duration(random_.below(3'000'000)));
      scene_.gate = false;
      std::this_thread::sleep_for(detent::duration(random_.below(500'000)));
    }
  }

  // The engine's driver has the old nodes at hand, as what fires comes back to it.
  void drive(detent::engine& engine, const std::atomic<unsigned>& running) {
    player driver(scene_, random_);
    while (running != 0) {
      driver.step();
      engine.poll();
    }
    require(driver.counts().scheduled < 100'000 || engine.metrics().retired != 0, "no node came to its end");
    scene_.add(driver.counts());
    for (const detent::timer& each : scene_.first_handles)
      require(!each.pending(), "a handle of a first life says pending");
  }

  void stop(detent::engine& engine) {
    const bool comes_to_rest = !scene_.moody && !scene_.aged && scene_.odds.destructors == 0 &&
                               (scene_.starved || scene_.odds.near > 80 || random_.one_in(2));
    if (comes_to_rest) await_rest(engine);
    std::vector<detent::unfired_timer> left = engine.stop();
    accounts_->facts().stopped = true;
    require(left.empty() || !comes_to_rest, "stop() returned timers although none was pending");
    returned_ = left.size();
    accounts_->returned(std::move(left), random_);
  }

  void await_rest(detent::engine& engine) {
    for (const auto& each : scene_.groups) random_.one_in(2) ? each->group.cancel_all() : each->group.resume();
    accounts_->await_ends();
    const auto latest = detent::clock::now() + 1min;
    while (engine.pending() != 0) {
      require(detent::clock::now() < latest, "something is pending for ever");
      std::this_thread::yield();
    }
  }

  void stop_in_the_midst(detent::engine& engine) {
    std::array<std::vector<detent::unfired_timer>, 2> lefts;
    const auto span =
        static_cast<std::uint64_t>(std::max(detent::duration(1), plan_.until - detent::clock::now()).count());
    const auto moment = detent::clock::now() + detent::duration(random_.below(random_.one_in(2) ? 2'000'000 : span));
    {
      crew stoppers(2, ~plan_.seed, [&](unsigned i, random_numbers& mine) {
        std::this_thread::sleep_until(moment + detent::duration(mine.below(50'000)));
        lefts[i] = engine.stop();
        accounts_->facts().stopped = true;
      });
      use(engine);
    }
    require(lefts[0].empty() || lefts[1].empty(), "two calls of stop() returned timers");
    for (auto& each : lefts) {
      returned_ += each.size();
      accounts_->returned(std::move(each), random_);
    }
  }

  void check(detent::engine_metrics reported) {
    // Timers from before the round.
    for (auto each :
         {&detent::engine_metrics::scheduled, &detent::engine_metrics::expired, &detent::engine_metrics::fired})
      reported.*each -= scene_.first_handles.size();
    const weights& odds = scene_.odds;
    accounts_->balance(reported, scene_.may_drop, odds.groups == 0 && odds.periodic == 0);
    require(reported.returned == returned_, "the metrics: returned");
    require(!scene_.moody || reported.refused == scene_.moody->refusals(), "the metrics: refused");
  }

  const round_plan& plan_;
  random_numbers random_;
  scene scene_;
  std::optional<ledger> accounts_;
  std::uint64_t returned_ = 0;
};

std::size_t entries_of(const char* directory) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory), {}));
}

tally play(const round_plan& plan) {
  const std::size_t descriptors = entries_of("/proc/self/fd"), threads_before = entries_of("/proc/self/task");
  const tally counts = round_of_storm(plan).play();
  require(entries_of("/proc/self/fd") == descriptors, "engines left descriptors behind");
  // One that a worker of its own destroyed may still be on its way out.
  const auto latest = detent::clock::now() + 1min;
  while (entries_of("/proc/self/task") != threads_before) {
    require(detent::clock::now() < latest, "engines left threads behind");
    std::this_thread::sleep_for(100us);
  }
  return counts;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, play, walk_to_the_end); }
