// SPDX-License-Identifier: MIT
// Users of the audit of effects: they put, move and cancel timers in transactions of their own, which commit, roll back
// or are prepared at random. Each deed is a row in `ledger` too, in the same transaction, so the ledger has what is
// owed even if the connection was lost. What was acknowledged is in the journal.
#include "session.hpp"

#include "../journal.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using chaos::failure;
using chaos::session;

struct wanted {
  std::string url, journals, node = "users";
  std::size_t timers = 20'000, threads = 16;
  double seconds = 20;
  std::uint64_t seed = 1;
};

struct name {
  std::string key, partition;
};

// Some are for any user to cancel; some their own user moves, or puts again.
enum class kind : std::uint8_t { plain, moved, again };

// Some of the last names that any user has put, for the others to cancel.
class recent_names {
 public:
  explicit recent_names(std::size_t most) : most_(most) {}
  void add(const name& one) {
    const std::scoped_lock lock(mutex_);
    if (names_.size() < most_)
      names_.push_back(one);
    else
      names_[next_++ % most_] = one;
  }
  bool any(std::mt19937_64& random, name& out) {
    const std::scoped_lock lock(mutex_);
    if (names_.empty()) return false;
    out = names_[random() % names_.size()];
    return true;
  }

 private:
  const std::size_t most_;
  std::mutex mutex_;
  std::vector<name> names_;
  std::size_t next_ = 0;
};

class user {
 public:
  user(const wanted& how, std::size_t number, recent_names& recent, const chaos::journal& book)
      : how_(how), number_(number), random_(how.seed * 1000 + number), recent_(recent), book_(book), its_(how.url) {}

  // Until so many puts were committed or prepared, at an even pace.
  void run() {
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t most = how_.timers / how_.threads;
    while (put_ < most) {
      const auto due =
          begin + std::chrono::duration<double>(how_.seconds * static_cast<double>(put_) / static_cast<double>(most));
      std::this_thread::sleep_until(due);
      its_.insist();
      try {
        transact();
      } catch (const failure& why) {
        book_.write(is_committing_ ? "unknown" : why.is_lost ? "cut" : "failed", number_);
        its_.roll_back();
      }
    }
  }

 private:
  unsigned any(unsigned below) { return static_cast<unsigned>(random_() % below); }
  bool chance(unsigned percent) { return any(100) < percent; }
  void sleep(double most) {
    const std::chrono::duration<double> length(most * std::uniform_real_distribution<double>(0, 1)(random_));
    std::this_thread::sleep_for(length);
  }

  void transact() {
    is_committing_ = false;
    ops_.clear();
    names_.clear();
    const unsigned level = any(10);
    its_.ask(level < 7   ? "begin isolation level read committed"
             : level < 9 ? "begin isolation level repeatable read"
                         : "begin isolation level serializable");
    for (std::size_t left = 1 + any(6); left != 0; --left) act();
    if (chance(10)) sleep(chance(10) ? 2 : 0.3);
    end();
  }

  void act() {
    const bool is_given_up = chance(8);
    if (is_given_up) its_.ask("savepoint part");
    const std::size_t ops = ops_.size(), names = names_.size();
    if (chance(75))
      put();
    else
      change();
    if (!is_given_up) return;
    its_.ask("rollback to savepoint part");
    ops_.resize(ops);
    names_.resize(names);
  }

  void put() {
    name its{"u" + std::to_string(number_) + "/" + std::to_string(count_++), {}};
    const unsigned place = any(10);
    if (place >= 8)
      its.partition = "hot";
    else if (place >= 3)
      its.partition = "p" + std::to_string(any(40));
    const unsigned fate = any(20);
    if (fate == 19) its.key.clear();  // the function makes one
    its.key = schedule("put", its, fate % 2 == 0 ? "fail" : "keep");
    names_.emplace_back(its, fate < 3 ? kind::moved : fate < 6 ? kind::again : kind::plain);
  }

  // Returns the key.
  std::string schedule(const char* what, const name& its, const char* if_exists) {
    const std::string op = next_op();
    std::string key = its_.ask(
        "with new as (insert into ledger (op, what, key, partition, due) values ($1::text::bigint, $2, nullif($3, ''), "
        "$4, "
        "date_trunc('milliseconds', clock_timestamp()) + $5::int * interval '1 ms') returning due) "
        "select detent.schedule_at('effect', due, convert_to($1::text, 'UTF8'), nullif($3, ''), $4, $6) from new",
        {op, what, its.key, its.partition, some_time(), if_exists});
    if (its.key.empty()) its_.ask("update ledger set key = $2 where op = $1::bigint", {op, key});
    return key;
  }

  // Milliseconds from now, also before.
  std::string some_time() { return std::to_string(static_cast<int>(any(2200)) - 200); }

  void change() {
    name its;
    if (const unsigned what = any(4); what == 0 && !moved_.empty()) {
      its = take(moved_);
      its_.ask(
          "with new as (select date_trunc('milliseconds', clock_timestamp()) + $4::int * interval '1 ms' as due) "
          "insert into ledger (op, what, key, partition, due, done) "
          "select $1::bigint, 'move', $2, $3, due, detent.restart_at($2, due, $3) from new",
          {next_op(), its.key, its.partition, some_time()});
    } else if (what == 1 && !again_.empty()) {
      const char* const if_exists = chance(50) ? "keep" : "replace";
      schedule(if_exists, take(again_), if_exists);
    } else if (recent_.any(random_, its)) {
      its_.ask(
          "insert into ledger (op, what, key, partition, done) "
          "values ($1::bigint, 'cancel', $2, $3, detent.cancel($2, $3))",
          {next_op(), its.key, its.partition});
    }
  }

  name take(std::vector<name>& from) {
    const std::size_t place = random_() % from.size();
    name out = from[place];
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(place));
    return out;
  }

  // Unique in the ledger, and of this user.
  std::string next_op() {
    ops_.push_back(std::to_string(++op_ * 1000 + number_));
    return ops_.back();
  }

  void end() {
    if (chance(15)) {
      its_.ask("rollback");
      return;
    }
    is_committing_ = true;
    if (chance(10)) {
      its_.ask("prepare transaction 'user " + std::to_string(number_) + " " + std::to_string(op_) + "'");
    } else {
      its_.ask("commit");
      for (const std::string& op : ops_) book_.write("acknowledged", op);
    }
    put_ += names_.size();
    for (const auto& [its, is] : names_) {
      if (is == kind::plain)
        recent_.add(its);
      else
        (is == kind::moved ? moved_ : again_).push_back(its);
    }
  }

  const wanted& how_;
  const std::size_t number_;
  std::mt19937_64 random_;
  recent_names& recent_;
  const chaos::journal& book_;
  session its_;
  std::size_t put_ = 0, count_ = 0;
  std::uint64_t op_ = 0;
  bool is_committing_ = false;
  std::vector<std::string> ops_;              // of this transaction
  std::vector<std::pair<name, kind>> names_;  // that it puts
  std::vector<name> moved_, again_;
};

}  // namespace

int main(int argc, char** argv) try {
  wanted how;
  CLI::App app("users of the audit of effects");
  app.add_option("--url", how.url)->required();
  app.add_option("--journals", how.journals, "a directory")->required();
  app.add_option("--timers", how.timers);
  app.add_option("--threads", how.threads)->check(CLI::PositiveNumber);
  app.add_option("--seconds", how.seconds);
  app.add_option("--seed", how.seed);
  CLI11_PARSE(app, argc, argv);
  const chaos::journal book(how.journals, how.node);
  book.begin();
  recent_names recent(300);
  std::vector<std::jthread> all;
  for (std::size_t i = 0; i != how.threads; ++i) {
    all.emplace_back([&, i] {
      try {
        user(how, i, recent, book).run();
      } catch (const std::exception& problem) {
        std::fprintf(stderr, "chaos_users: %s\n", problem.what());
        std::_Exit(1);
      }
    });
  }
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "chaos_users: %s\n", problem.what());
  return 1;
}
