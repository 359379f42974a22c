// SPDX-License-Identifier: MIT
// Random histories, which a store must answer as the model foretells, with crashes between any two steps.
#pragma once

#include "model.hpp"
#include "seed.hpp"

#include <array>
#include <optional>
#include <random>
#include <variant>

namespace durable_test {

template <class Bed>
class history {
 public:
  explicit history(std::uint64_t seed) : random_(seed) {}

  void run(int steps) {
    for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      one_step();
      if (step % 40 == 39 && !testing::Test::HasFailure()) everything_is_the_models();
    }
    for (shard_id which = 0; which < bed_shards && !testing::Test::HasFailure(); ++which) drain(which);
  }

 private:
  struct run_of {  // of what some term has read, whether it stands or not
    term_ref term;
    record what;
    std::uint64_t kept = 0;  // a successor of its key, of which the term has read
  };

  std::uint64_t below(std::uint64_t limit) {
    return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random_);
  }
  asker bed() { return {bed_.get()}; }
  static constexpr std::uint64_t keys = 6;  // so few that changes of one meet
  std::string key() { return stored_key("k" + std::to_string(below(keys)), "p"); }
  stored_time due() { return at(static_cast<std::int64_t>(below(4))); }
  shard_id shard() { return static_cast<shard_id>(below(bed_shards)); }

  void one_step() {
    switch (below(16)) {
      case 0: return take(shard());
      case 1: return below(2) != 0 ? give_back(shard()) : lapse(shard());
      case 2: return crash();
      case 3:
      case 4:
      case 5:
      case 6: return read(shard());
      default: return change_some();
    }
  }

  void take(shard_id which) {
    const take_result its = bed().take(which);
    model_.judge_take(which, its);
    if (its.status == take_status::taken) terms_[which] = term_ref{which, its.fence};
  }
  void give_back(shard_id which) {
    if (!terms_[which]) return;
    model_.give_back(*terms_[which]);
    bed().give_back(*terms_[which]);
  }
  void lapse(shard_id which) {
    if (!terms_[which]) return;
    const read_request last{*terms_[which], stored_time::min(), 0, milliseconds(1)};
    judge(last);
    model_.lapse(*terms_[which]);
    std::this_thread::sleep_for(milliseconds(5));
  }
  // The process is gone, with what it knew; its terms may still stand.
  void crash() {
    bed_.crash();
    if (!Bed::terms_survive_crash) model_.lose_memory();
  }
  void read(shard_id which) {
    if (!terms_[which]) return;
    const std::size_t bytes = below(3) == 0 ? below(30) : SIZE_MAX;
    judge({*terms_[which], due(), below(5), long_lease, bytes});
  }
  void judge(const read_request& what) {
    read_result its;
    ASSERT_EQ(bed_.get().read_on({&what, 1}, {&its, 1}), errc{});
    model_.judge_read(what, its);
    for (const record& each : its.due) runs_.push_back({what.term, each});
    for (const record& each : its.announced_now) runs_.push_back({what.term, each});
    for (const announced& each : its.announced_keys)
      if (each.kept != 0) runs_.push_back({what.term, timer(each.key, each.kept, at(0), what.term.shard), each.kept});
  }

  change put() {
    const auto mode = static_cast<put_mode>(std::array{0, 0, 1, 2, 3, 4, 4}[below(7)]);
    record what = timer(key(), below(8) == 0 && id_ > 1 ? id_ - below(2) : ++id_, due(), shard());
    what.payload = bytes_of(std::string(below(12), static_cast<char>('a' + id_ % 26)));
    what.attempt = static_cast<std::uint32_t>(below(3) + 1);
    what.schedule = below(3) == 0 ? "daily" : "";
    what.by_rule = below(2) != 0;
    return put_request{what, mode};
  }
  change cancel() {
    questions_.push_back({shard(), ++id_});
    return cancel_request{questions_.back().shard, key(), questions_.back().question};
  }
  change end() {
    if (runs_.empty()) return put();
    const run_of& run = runs_[runs_.size() - 1 - below(std::min<std::size_t>(runs_.size(), 40))];
    end_request of = end_of(run.term, run.what, run.kept != 0 ? end_kind::unkeep : static_cast<end_kind>(below(4)));
    of.due = due();
    of.attempt = static_cast<std::uint32_t>(below(3) + 1);
    of.why = "why " + std::to_string(id_);
    of.by_rule = below(2) != 0;
    if (below(2) != 0) of.payload = bytes_of(std::string(below(12), 'p'));
    if (!questions_.empty() && below(4) == 0) {
      of.question = questions_[below(questions_.size())].question;
      of.reply = static_cast<answer>(below(3) + 1);
      questions_.push_back({of.term.shard, of.question});
    }
    return of;
  }

  void change_some() {
    std::vector<change> batch;
    for (std::uint64_t i = 0, size = 1 + below(6); i < size; ++i)
      batch.push_back(below(6) == 0 ? cancel() : below(2) != 0 ? put() : end());
    send(batch);
    if (below(6) == 0 && !testing::Test::HasFailure()) send(batch);  // the answer was lost
  }
  // In one call, or in several where a timer has to be read of before it is changed again.
  void send(const std::vector<change>& all) {
    for (std::size_t from = 0; from != all.size() && !testing::Test::HasFailure();) {
      std::vector<change> batch;
      std::vector<model::statuses> expected;
      for (; from != all.size() && model_.can(all[from]); ++from) {
        batch.push_back(all[from]);
        expected.push_back(std::visit([&](const auto& its) { return model_.apply(its); }, all[from]));
      }
      const std::vector<change_status> its = bed().apply(batch);
      for (std::size_t i = 0; i < its.size(); ++i)
        ASSERT_TRUE(its[i] == expected[i].one || its[i] == expected[i].other)
            << "change " << i << ' ' << words_of(batch[i]) << ": " << static_cast<int>(its[i]) << " for "
            << static_cast<int>(expected[i].one);
      bool told = false;
      for (shard_id which = 0; which < bed_shards; ++which) {
        if (!model_.has_unknown(which)) continue;
        judge({*terms_[which], stored_time::min(), 0, long_lease});
        told = true;
      }
      if (batch.empty() && !told) ++from;  // it cannot be told
    }
  }
  static std::string words_of(const change& what) {
    if (const auto* put = std::get_if<put_request>(&what))
      return "put " + put->what.key + " mode " + std::to_string(static_cast<int>(put->mode));
    if (const auto* cancel = std::get_if<cancel_request>(&what)) return "cancel " + cancel->key;
    const auto& end = std::get<end_request>(what);
    return "end " + end.key + " kind " + std::to_string(static_cast<int>(end.how));
  }

  void everything_is_the_models() {
    std::vector<shard_state> states(bed_shards);
    ASSERT_EQ(bed_.get().look(states), errc{});
    for (shard_id which = 0; which < bed_shards; ++which) {
      EXPECT_EQ(states[which].timers, model_.live(which).size());
      EXPECT_EQ(states[which].dead, model_.dead(which).size());
      std::vector<record> live, recurring, dead;
      for (const auto& [key, its] : model_.live(which)) {
        live.push_back(its.what);
        if (!its.what.schedule.empty()) recurring.push_back(its.what);
      }
      for (const auto& [key, its] : model_.dead(which)) dead.push_back(its.what);
      expect_listed({.shard = which}, live);
      expect_listed({.shard = which, .recurring = true}, recurring);
      for (const listed_record& its : expect_listed({.shard = which, .dead = true}, dead))
        EXPECT_EQ(its.why, model_.dead(which).at(its.what.key).why);
    }
    for (const question_ref& its : questions_)
      EXPECT_EQ(bed().read_answer(its.shard, its.question), model_.answer_to(its)) << its.question;
    look_ups_are_the_models();
  }
  void look_ups_are_the_models() {
    for (std::uint64_t i = 0; i < keys; ++i) {
      const std::string name = "k" + std::to_string(i);
      std::size_t live = 0, dead = 0;
      for (shard_id which = 0; which < bed_shards; ++which) {
        const std::string key = stored_key(name, "p");
        const auto found = bed().find(which, key);
        const bool lives = model_.live(which).contains(key), is_dead = model_.dead(which).contains(key);
        live += lives;
        dead += is_dead;
        ASSERT_EQ(found.has_value(), lives || is_dead);
        if (!found) continue;
        EXPECT_EQ(found->died.has_value(), is_dead);
        expect_same({lives ? model_.live(which).at(key).what : model_.dead(which).at(key).what}, {found->what});
      }
      for (const bool of_dead : {false, true}) {
        std::vector<listed_record> found;
        EXPECT_EQ(bed_.get().find_by_key({{0, stored_key(name)}, of_dead}, found), errc{});
        EXPECT_EQ(found.size(), of_dead ? dead : live) << name;
      }
    }
  }
  std::vector<listed_record> expect_listed(const list_request& which, std::vector<record> expected) {
    const auto by_time = [](const record& its) { return std::pair(its.due, its.key); };
    std::ranges::sort(expected, {}, by_time);
    std::vector<listed_record> all = bed().list(which);
    EXPECT_TRUE(std::ranges::is_sorted(all, {}, [](const auto& its) { return its.died.value_or(its.what.due); }));
    std::ranges::sort(all, {}, [&](const listed_record& its) { return by_time(its.what); });
    std::vector<record> its;
    for (const listed_record& each : all) its.push_back(each.what);
    expect_same(expected, its);
    return all;
  }
  // Successors are in no list: each comes out when the timer before it has ended.
  void drain(shard_id which) {
    give_back(which);
    take(which);
    for (int round = 0; round < 3 && !testing::Test::HasFailure(); ++round) {
      if (!terms_[which] || !model_.stands(*terms_[which])) return;  // the term of a process that has crashed stands
      runs_.clear();
      judge({*terms_[which], at(100), 1000, long_lease});
      std::vector<change> ends;
      for (const run_of& run : runs_)
        if (run.kept == 0) ends.push_back(end_of(run.term, run.what));
      send(ends);
    }
    EXPECT_TRUE(bed().list({.shard = which}).empty());
  }

  std::mt19937_64 random_;
  Bed bed_;
  model model_;
  std::array<std::optional<term_ref>, bed_shards> terms_;
  std::vector<run_of> runs_;
  std::vector<question_ref> questions_;
  std::uint64_t id_ = 0;
};

}  // namespace durable_test
