// SPDX-License-Identifier: MIT
// A process that is killed at each step of a timer's life, just before the store has it and just after.
#include "nodes.hpp"
#include "passing_store.hpp"
#include "sqlite_bed.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <set>
#include <variant>

namespace durable_test {
namespace {

enum class step : std::uint8_t { put, take, read, run, erase, move, kill, give_back };
constexpr std::string_view names[] = {"put", "take", "read", "run", "erase", "move", "kill", "give_back"};

struct moment {
  step at;
  bool after;
};

// Kills this process at its moment. What it has said through `to` before is heard.
class mortal final : public passing_store {
 public:
  mortal(std::shared_ptr<store> to, moment when, int says) : passing_store(std::move(to)), when_(when), says_(says) {}

  void reach(step at, bool after) const {
    if (at == when_.at && after == when_.after) ::kill(::getpid(), SIGKILL);
  }
  void say(char what, std::string_view key) const {
    const std::string line = what + std::string(key) + '\n';
    if (::write(says_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) ::_exit(1);
  }

  errc take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) override {
    return around(step::take, [&] { return to_->take(node, what, results); });
  }
  errc give_back(std::span<const term_ref> what) override {
    return around(step::give_back, [&] { return to_->give_back(what); });
  }
  errc read_on(std::span<const read_request> what, std::span<read_result> results) override {
    return around(step::read, [&] { return to_->read_on(what, results); });
  }
  errc apply(std::span<const change> what, std::span<change_status> results) override {
    for (const change& one : what) reach(step_of(one), false);
    const errc out = to_->apply(what, results);
    for (const change& one : what)
      if (const auto* end = std::get_if<end_request>(&one))
        say(end->how == end_kind::move ? 'm' : 'e', parts_of(end->key).key);
    for (const change& one : what) reach(step_of(one), true);
    return out;
  }

 private:
  static step step_of(const change& of) {
    const auto* end = std::get_if<end_request>(&of);
    if (end == nullptr) return step::put;
    return end->how == end_kind::move ? step::move : end->how == end_kind::kill ? step::kill : step::erase;
  }
  template <class Call>
  errc around(step at, Call&& call) const {
    reach(at, false);
    const errc out = call();
    reach(at, true);
    return out;
  }

  const moment when_;
  const int says_;
};

void handle_all(a_node& node, std::function<void(const job&)> begins, std::function<void()> ends) {
  const auto handler = [=](bool fails, std::uint32_t until) {
    return [=](job& of) {
      begins(of);
      const bool again = fails && of.attempt() < until;
      ends();
      return again ? outcome::retry("not yet") : outcome::done();
    };
  };
  node.on.handle("works", handler(false, 0));
  node.on.handle("fails once", handler(true, 2), {.max_attempts = 2, .first_retry = 1ms});
  node.on.handle("dies", handler(true, 9), {.max_attempts = 1});
}

bool is_over(a_node& node) { return node.on.list({}).empty() && node.on.list({.dead = true}).size() == 1; }

// Until its end, which comes first where the moment does not.
[[noreturn]] void live(const std::string& path, moment when, int says) {
  {
    journal unused;
    const auto in =
        std::make_shared<mortal>(sqlite_store(path, {.durability = sqlite_options::sync::at_checkpoints}), when, says);
    a_node node(in, unused);
    const auto begins = [&](const job& of) {
      in->reach(step::run, false);
      in->say('r', of.key());
    };
    handle_all(node, begins, [&] { in->reach(step::run, true); });
    for (const char* const each : {"works", "fails once", "dies"}) node.on.schedule_after(0s, each, {}, {.key = each});
    if (!node.on.flush(10s)) ::_exit(1);
    in->say('s', "");
    node.on.start();
    if (!soon([&] { return is_over(node); })) ::_exit(1);
  }
  ::_exit(1);
}

class AProcessKilledAtEachStep : public testing::TestWithParam<moment> {};

TEST_P(AProcessKilledAtEachStep, LosesNothingAndRepeatsNothingThatEnded) {
  const temporary_directory directory;
  const std::string path = directory.file("timers");
  int pipes[2];
  ASSERT_EQ(::pipe(pipes), 0);
  const pid_t child = ::fork();
  if (child == 0) live(path, GetParam(), pipes[1]);
  ::close(pipes[1]);
  std::string said;
  char some[256];
  for (ssize_t got = 0; (got = ::read(pipes[0], some, sizeof some)) > 0;)
    said.append(some, static_cast<std::size_t>(got));
  ::close(pipes[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it went on, and said: " << said;

  std::map<char, std::multiset<std::string>> before;
  for (std::size_t at = 0; at < said.size(); at = said.find('\n', at) + 1)
    before[said[at]].insert(said.substr(at + 1, said.find('\n', at) - at - 1));
  journal book;
  a_node node(sqlite_store(path), book);
  handle_all(
      node, [&](const job& of) { book.write(of); }, [] {});
  std::set<std::string> left;
  for (const listed& its : node.on.list({})) left.insert(its.key);
  node.on.start();
  ASSERT_TRUE(soon([&] { return node.on.metrics().terms != 0 && node.on.list({}).empty(); }));
  for (const std::string key : {"works", "fails once", "dies"}) {
    const bool has_ended = before['e'].contains(key);
    if (before.contains('s') || has_ended) {
      EXPECT_NE(left.contains(key), has_ended) << key;
    }
    EXPECT_EQ(book.runs_of(key) != 0, left.contains(key)) << key;
    const auto ran = static_cast<std::ptrdiff_t>(before['r'].count(key)) + book.runs_of(key);
    EXPECT_LE(ran, key == "fails once" ? 3 : 2) << key;
  }
  for (const journal::line& its : book.lines()) {
    if (!before['m'].contains(its.key)) continue;
    EXPECT_EQ(its.attempt, 2u) << "its first failure is forgotten";
  }
  EXPECT_EQ(node.on.list({.dead = true}).size(), left.contains("dies") || before['e'].contains("dies") ? 1u : 0u);
}

std::vector<moment> each_moment() {
  std::vector<moment> all;
  for (const step at :
       {step::put, step::take, step::read, step::run, step::erase, step::move, step::kill, step::give_back})
    for (const bool after : {false, true}) all.push_back({at, after});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Sqlite, AProcessKilledAtEachStep, testing::ValuesIn(each_moment()), [](const auto& its) {
  return (its.param.after ? "after_" : "before_") + std::string(names[static_cast<std::size_t>(its.param.at)]);
});

}  // namespace
}  // namespace durable_test
