// SPDX-License-Identifier: MIT
// Nodes for the tests: an engine, a connection that can be cut, and a journal of what ran.
#pragma once

#include "passing_store.hpp"

#include <detent/durable.hpp>
#include <detent/durable_memory.hpp>
#include <detent/durable_store.hpp>
#include <detent/engine.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace durable_test {

using namespace detent::durable;
using namespace std::chrono_literals;

inline detent::wall_time now() { return std::chrono::system_clock::now(); }

// Long enough for the slowest machine; returns as soon as it holds.
template <class Condition>
bool soon(Condition&& holds, std::chrono::milliseconds patience = 60s) {
  for (auto until = std::chrono::steady_clock::now() + patience; std::chrono::steady_clock::now() < until;) {
    if (holds()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return holds();
}

// A store whose connection can be cut.
class breakable : public passing_store {
 public:
  using passing_store::passing_store;

  std::atomic<bool> cut{false};
  std::atomic<bool> ends_cut{false};  // for batches with ends in them, as where a disk is full
  std::atomic<bool> roll_cut{false};  // for call_roll() alone, as where the one of several servers is gone that has it
  // Once, the answer to a reading arrives this much later, and then the connection is cut.
  std::atomic<std::chrono::milliseconds> last_answer_after{0ms};
  std::atomic<std::chrono::milliseconds> writes_take{0ms};  // each batch with operations, longer than it would
  std::atomic<int> batches{0};                              // of operations and ends
  std::atomic<int> lists{0};                                // of a view apart
  std::atomic<int> purges{0};
  std::atomic<int> rolls{0};
  std::atomic<int> readings{0};                       // that found something due
  std::atomic<int> shards_read{0};                    // by these, each as often as something due was found in it
  std::atomic<std::chrono::milliseconds> trip{0ms};   // of each call but those
  std::atomic<std::chrono::microseconds> ahead{0us};  // the store's clock, of this node's; no runs end with it
  // Set before the node starts: called before each batch; and with each list, which it may answer itself.
  std::function<void(std::span<const change>)> before_batch;
  std::function<bool(const list_request&, list_page&)> answers_list;

  errc call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) override {
    ++rolls;
    std::this_thread::sleep_for(trip.load() / 2);
    const errc code = cut || roll_cut ? errc::unavailable : to_->call_roll(node, live_for, out);
    out.now += ahead.load();
    std::this_thread::sleep_for(trip.load() / 2);
    return code;
  }
  errc take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) override {
    std::this_thread::sleep_for(trip.load());
    const errc code = cut ? errc::unavailable : to_->take(node, what, results);
    for (take_result& one : results) one.fence += shift();
    return code;
  }
  errc give_back(std::span<const term_ref> what) override {
    std::this_thread::sleep_for(trip.load());
    std::vector<term_ref> terms(what.begin(), what.end());
    for (term_ref& one : terms) one.fence -= shift();
    return cut ? errc::unavailable : to_->give_back(terms);
  }
  errc read_on(std::span<const read_request> what, std::span<read_result> results) override {
    std::this_thread::sleep_for(trip.load());
    if (cut) return errc::unavailable;
    std::vector<read_request> requests(what.begin(), what.end());
    for (read_request& one : requests) one.term.fence -= shift();
    const errc out = to_->read_on(requests, results);
    const auto found = std::ranges::count_if(results, [](const read_result& one) { return !one.due.empty(); });
    readings += found != 0;
    shards_read += static_cast<int>(found);
    if (const auto late = last_answer_after.exchange(0ms); late != 0ms) {
      std::this_thread::sleep_for(late);
      cut = true;
    }
    return out;
  }
  errc apply(std::span<const change> what, std::span<change_status> results) override {
    ++batches;
    if (before_batch) before_batch(what);
    const auto is_end = [](const change& one) { return std::holds_alternative<end_request>(one); };
    const bool has_ends = std::ranges::any_of(what, is_end);
    if (!std::ranges::all_of(what, is_end)) std::this_thread::sleep_for(writes_take.load());
    return cut || (ends_cut && has_ends) ? errc::unavailable : to_->apply(what, results);
  }
  errc read_answers(std::span<const question_ref> what, std::span<answer> results) override {
    return cut ? errc::unavailable : to_->read_answers(what, results);
  }
  errc find(const timer_ref& which, std::optional<listed_record>& out) override {
    return cut ? errc::unavailable : to_->find(which, out);
  }
  errc find_by_key(const key_request& which, std::vector<listed_record>& out) override {
    return cut ? errc::unavailable : to_->find_by_key(which, out);
  }
  errc list(const list_request& which, list_page& out) override {
    if (answers_list && answers_list(which, out)) return errc{};
    return cut ? errc::unavailable : to_->list(which, out);
  }
  errc purge(const list_request& which, purge_page& out) override {
    ++purges;
    return cut ? errc::unavailable : to_->purge(which, out);
  }
  errc look_at_deaths(std::size_t nth, std::span<stored_time> shards) override {
    return cut ? errc::unavailable : to_->look_at_deaths(nth, shards);
  }
  std::unique_ptr<store_view> view_apart() override { return std::make_unique<view>(*this, to_->view_apart()); }
  errc look(std::span<shard_state> shards) override {
    std::this_thread::sleep_for(trip.load());
    return cut ? errc::unavailable : to_->look(shards);
  }

 private:
  class view final : public store_view {
   public:
    view(breakable& of, std::unique_ptr<store_view> to) : of_(of), to_(std::move(to)) {}
    errc find(const timer_ref& which, std::optional<listed_record>& out) override {
      return of_.cut ? errc::unavailable : to_->find(which, out);
    }
    errc find_by_key(const key_request& which, std::vector<listed_record>& out) override {
      return of_.cut ? errc::unavailable : to_->find_by_key(which, out);
    }
    errc list(const list_request& which, list_page& out) override {
      ++of_.lists;
      return of_.cut ? errc::unavailable : to_->list(which, out);
    }
    errc look(std::span<shard_state> shards) override { return of_.cut ? errc::unavailable : to_->look(shards); }
    errc count_due(stored_time by, std::span<std::uint64_t> shards) override {
      return of_.cut ? errc::unavailable : to_->count_due(by, shards);
    }

   private:
    breakable& of_;
    const std::unique_ptr<store_view> to_;
  };

  // For fences, which follow the store's clock.
  std::uint64_t shift() const { return static_cast<std::uint64_t>(ahead.load().count()); }
};

// The runs on all nodes, in the order in which they started.
class journal {
 public:
  struct line {
    std::string key, payload;
    detent::wall_time due, started;
    std::uint32_t attempt;
    std::uint64_t fence;
    std::string node;
    std::string partition;
  };

  void write(const job& of, std::string_view node = {}) {
    const std::lock_guard locked(lock_);
    lines_.push_back({std::string(of.key()),
                      {reinterpret_cast<const char*>(of.payload().data()), of.payload().size()},
                      of.due(),
                      now(),
                      of.attempt(),
                      of.fence(),
                      std::string(node),
                      std::string(of.partition())});
  }
  std::vector<line> lines() const {
    const std::lock_guard locked(lock_);
    return lines_;
  }
  std::size_t size() const { return lines().size(); }
  std::ptrdiff_t runs_of(std::string_view key) const {
    const auto its = lines();
    return std::ranges::count(its, key, &line::key);
  }

 private:
  mutable std::mutex lock_;
  std::vector<line> lines_;
};

// The reports to the program.
class reports {
 public:
  void operator()(std::error_code code, std::string_view text) {
    const std::lock_guard locked(lock_);
    codes_.push_back(code);
    texts_.emplace_back(text);
  }
  std::ptrdiff_t count(std::error_code code) const {
    const std::lock_guard locked(lock_);
    return std::ranges::count(codes_, code);
  }
  bool has(std::error_code code) const { return count(code) != 0; }
  std::string all() const {
    const std::lock_guard locked(lock_);
    std::string out;
    for (const std::string& one : texts_) out += one + '\n';
    return out;
  }

 private:
  mutable std::mutex lock_;
  std::vector<std::error_code> codes_;
  std::vector<std::string> texts_;
};

// One process of several: its engine, its connection.
class a_node {
 public:
  a_node(std::shared_ptr<store> to, journal& book, options how = {}, std::string name = {})
      : connection(std::make_shared<breakable>(std::move(to))),
        on(engine, connection, with(std::move(how), name, reported)) {
    on.handle("write", [&book, name](job& of) {
      book.write(of, name);
      return outcome::done();
    });
  }

  static options with(options how, const std::string& name, std::shared_ptr<reports> reported) {
    how.node = name;
    if (!how.on_trouble)
      how.on_trouble = [reported](std::error_code code, std::string_view text) { (*reported)(code, text); };
    return how;
  }

  std::shared_ptr<reports> reported = std::make_shared<reports>();
  std::shared_ptr<breakable> connection;
  detent::engine engine;
  timers on;
};

// Runs that their handler has detached, until they are let go.
class held_runs {
 public:
  outcome hold(job& of) {
    const std::lock_guard locked(lock_);
    runs_.push_back(of.detach());
    return outcome::done();  // which means nothing
  }
  std::size_t size() const {
    const std::lock_guard locked(lock_);
    return runs_.size();
  }
  void end_all() {
    std::vector<job::later> some;
    {
      const std::lock_guard locked(lock_);
      some.swap(runs_);
    }
    for (job::later& one : some) one.end(outcome::done());
  }

 private:
  mutable std::mutex lock_;
  std::vector<job::later> runs_;
};

inline std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

// The answer to a cancel().
inline cancel_result cancelled(timers& in, const timer_name& which, detent::duration patience = 10s) {
  auto got = std::make_shared<std::atomic<int>>(-1);
  in.cancel(
      which, [got](cancel_result result) { *got = static_cast<int>(result); }, patience);
  soon([&] { return *got >= 0; });
  return static_cast<cancel_result>(got->load());
}

}  // namespace durable_test
