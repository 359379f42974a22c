// SPDX-License-Identifier: MIT
// Transactions of a program's own that end timers, as on a store that lies in the program's database. The timers are in
// memory.
#pragma once

#include "nodes.hpp"

#include <detent/durable_tokens.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace durable_test {

// The rows of one memory, and which of them transactions hold.
class database {
 public:
  explicit database(memory& in) : rows(in.connect()) {}

  struct token {
    shard_id shard = 0;
    std::uint64_t id = 0;
    std::int64_t due = 0, next = 0;  // next 0: none
    std::string key = {};

    explicit token(std::string_view text) {
      std::istringstream in{std::string(text)};
      in >> shard >> id >> due >> next;
      key = text.substr(static_cast<std::size_t>(in.tellg()) + 1);
    }
    static std::string of(const record& ran, std::optional<stored_time> next) {
      std::ostringstream out;
      out << ran.shard << ' ' << ran.id << ' ' << ran.due.time_since_epoch().count() << ' '
          << (next ? next->time_since_epoch().count() : 0) << ' ' << ran.key;
      return out.str();
    }
  };

  bool has(const token& its) {
    std::optional<listed_record> one;
    rows->find({its.shard, its.key}, one);
    return one && !one->died && one->what.id == its.id && one->what.due.time_since_epoch().count() == its.due;
  }
  void end(const token& its) {
    const stored_time ran{std::chrono::microseconds(its.due)}, next{std::chrono::microseconds(its.next)};
    change what = end_request{.term = {its.shard, fences[its.shard]}, .key = its.key, .id = its.id, .ran = ran};
    if (its.next != 0)
      what = put_request{{.shard = its.shard, .key = its.key, .id = its.id + 1, .due = next, .by_rule = true},
                         put_mode::move};
    change_status status{};
    rows->apply({&what, 1}, {&status, 1});
  }

  std::recursive_mutex lock;  // of all below
  const std::shared_ptr<store> rows;
  std::map<shard_id, std::uint64_t> fences;
  std::multiset<std::string> held;            // stored keys
  std::map<std::string, int> busy = {};       // how often each was answered so
  std::vector<std::string> carried_out = {};  // keys, of all changes
};

}  // namespace durable_test

// A transaction, in the place of libpq's connection.
struct pg_conn {
  explicit pg_conn(durable_test::database& of) : in(of) {}
  pg_conn(const pg_conn&) = delete;
  pg_conn& operator=(const pg_conn&) = delete;
  ~pg_conn() { roll_back(); }

  // Acts as if it had changed a row and had not committed yet.
  void hold(const std::string& stored_key) {
    const std::lock_guard locked(in.lock);
    in.held.insert(stored_key);
    held.push_back(stored_key);
  }
  bool finish(std::string_view token) {
    const std::lock_guard locked(in.lock);
    durable_test::database::token its(token);
    if (!in.has(its)) return false;
    hold(its.key);
    ends.push_back(std::move(its));
    return true;
  }
  void commit() {
    const std::lock_guard locked(in.lock);
    for (const auto& one : std::exchange(ends, {})) in.end(one);
    roll_back();
  }
  void roll_back() {
    const std::lock_guard locked(in.lock);
    ends.clear();
    for (const std::string& key : std::exchange(held, {})) in.held.erase(in.held.find(key));
  }

  durable_test::database& in;
  std::vector<std::string> held = {};
  std::vector<durable_test::database::token> ends = {};
  bool broken = false;
};

namespace durable_test {

// A node's connection to it.
class transactional final : public breakable, public run_tokens {
 public:
  transactional(std::shared_ptr<store> to, database& of) : breakable(std::move(to)), of_(of) {}

  run_tokens* tokens() noexcept override { return this; }
  std::string token(const record& ran, std::optional<stored_time> next) override {
    return database::token::of(ran, next);
  }
  errc finish_in(pg_conn* in, std::string_view token, bool& finished, std::string& why) override {
    if (in->broken) {
      why = "the server closed the connection";
      return errc::unavailable;
    }
    finished = in->finish(token);
    return errc{};
  }

  errc take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) override {
    const errc code = breakable::take(node, what, results);
    const std::lock_guard locked(of_.lock);
    for (std::size_t i = 0; i < what.size(); ++i)
      if (results[i].status == take_status::taken) of_.fences[what[i].shard] = results[i].fence;
    return code;
  }
  errc apply(std::span<const change> what, std::span<change_status> results) override {
    const std::lock_guard locked(of_.lock);
    std::vector<change> free;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < what.size(); ++i) {
      const std::string& key = key_of(what[i]);
      results[i] = change_status::busy;
      if (of_.held.contains(key)) {
        ++of_.busy[key];
        continue;
      }
      free.push_back(what[i]);
      places.push_back(i);
      of_.carried_out.push_back(key);
    }
    std::vector<change_status> statuses(free.size());
    const errc code = breakable::apply(free, statuses);
    for (std::size_t i = 0; i < places.size(); ++i) results[places[i]] = statuses[i];
    return code;
  }

 private:
  static const std::string& key_of(const change& one) {
    if (const auto* put = std::get_if<put_request>(&one)) return put->what.key;
    if (const auto* cancel = std::get_if<cancel_request>(&one)) return cancel->key;
    return std::get<end_request>(one).key;
  }

  database& of_;
};

}  // namespace durable_test
