// SPDX-License-Identifier: MIT
// Nodes for the tests: an engine, a connection that can be cut, and a journal of what ran.
#pragma once

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
class breakable final : public store {
 public:
  explicit breakable(std::shared_ptr<store> to) : to_(std::move(to)) {}
  std::atomic<bool> cut{false};
  std::atomic<bool> ends_cut{false};  // for end() alone, as where a disk is full
  std::atomic<bool> roll_cut{false};  // for call_roll() alone, as where the one of several servers is gone that has it
  // Once, the answer to a reading arrives this much later, and then the connection is cut.
  std::atomic<std::chrono::milliseconds> last_answer_after{0ms};
  std::atomic<std::chrono::milliseconds> writes_take{0ms};  // each put() and cancel(), longer than they would
  std::atomic<int> readings{0};                             // that found something due

  shard_id shards() const noexcept override { return to_->shards(); }
  std::string_view name() const noexcept override { return to_->name(); }
  errc call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) override {
    return cut || roll_cut ? errc::unavailable : to_->call_roll(node, live_for, out);
  }
  errc take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) override {
    return cut ? errc::unavailable : to_->take(node, what, results);
  }
  errc give_back(std::span<const term_ref> what) override { return cut ? errc::unavailable : to_->give_back(what); }
  errc read_on(std::span<const read_request> what, std::span<read_result> results) override {
    if (cut) return errc::unavailable;
    const errc out = to_->read_on(what, results);
    readings += std::ranges::any_of(results, [](const read_result& one) { return !one.due.empty(); });
    if (const auto late = last_answer_after.exchange(0ms); late != 0ms) {
      std::this_thread::sleep_for(late);
      cut = true;
    }
    return out;
  }
  errc end(std::span<const end_request> what, std::span<end_status> results) override {
    return cut || ends_cut ? errc::unavailable : to_->end(what, results);
  }
  errc put(std::span<const put_request> what, std::span<put_status> results) override {
    std::this_thread::sleep_for(writes_take.load());
    return cut ? errc::unavailable : to_->put(what, results);
  }
  errc cancel(std::span<const cancel_request> what, std::span<cancel_status> results) override {
    std::this_thread::sleep_for(writes_take.load());
    return cut ? errc::unavailable : to_->cancel(what, results);
  }
  errc read_answers(std::span<const question_ref> what, std::span<answer> results) override {
    return cut ? errc::unavailable : to_->read_answers(what, results);
  }
  errc revive(std::span<const put_request> what, std::span<put_status> results) override {
    return cut ? errc::unavailable : to_->revive(what, results);
  }
  errc list(const list_request& which, std::vector<listed_record>& out) override {
    return cut ? errc::unavailable : to_->list(which, out);
  }
  errc look(std::span<shard_state> shards) override { return cut ? errc::unavailable : to_->look(shards); }
  void listen(std::function<void(shard_id)> wake) override { to_->listen(std::move(wake)); }

 private:
  const std::shared_ptr<store> to_;
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
