// SPDX-License-Identifier: MIT
// Random histories, which a store and the model must answer alike, with crashes between any two steps.
#pragma once

#include "conformance.hpp"

#include <detent/durable_memory.hpp>

#include <array>
#include <cstdlib>
#include <optional>
#include <random>

namespace durable_test {

inline std::uint64_t seed_of_run() {
  const char* given = std::getenv("DETENT_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

// Two stores that get the same calls. Their fences differ, so each side has its own of the same term; all else is
// equal.
template <class Bed>
class history {
 public:
  explicit history(std::uint64_t seed) : random_(seed), model_(bed_shards), model_store_(model_.connect()) {}

  void run(int steps) {
    for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      one_step();
    }
    if (!testing::Test::HasFailure()) everything_is_the_same();
  }

 private:
  struct side_term {
    term_ref model, bed;
  };
  struct run_of {  // what some term has read, whether it stands or not
    side_term term;
    record what;
  };

  std::uint64_t below(std::uint64_t limit) {
    return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random_);
  }
  asker model() { return {*model_store_}; }
  asker bed() { return {bed_.get()}; }
  std::string key() { return "k" + std::to_string(below(12)); }
  stored_time due() { return at(static_cast<std::int64_t>(below(12))); }
  shard_id shard() { return static_cast<shard_id>(below(bed_shards)); }

  void one_step() {
    switch (below(16)) {
      case 0: return take(shard());
      case 1: return give_back(shard());
      case 2: return lapse(shard());
      case 3: return crash();
      case 4:
      case 5:
      case 6: return read(shard());
      case 7:
      case 8:
      case 9:
      case 10: return put();
      case 11: return cancel();
      case 12: return revive();
      default: return end();
    }
  }

  void take(shard_id which) {
    const take_result a = model().take(which);
    const take_result b = bed().take(which);
    ASSERT_EQ(a.status, b.status);
    if (a.status == take_status::taken) terms_[which] = side_term{{which, a.fence}, {which, b.fence}};
  }
  void give_back(shard_id which) {
    if (!terms_[which]) return;
    model().give_back(terms_[which]->model);
    bed().give_back(terms_[which]->bed);
  }
  void lapse(shard_id which) {
    if (!terms_[which]) return;
    model().lapse(terms_[which]->model);
    bed().lapse(terms_[which]->bed);
  }
  // The process is gone, with what it knew; its terms may still stand.
  void crash() {
    bed_.crash();
    if (Bed::terms_survive_crash) return;
    for (shard_id which = 0; which < bed_shards; ++which) {
      give_back(which);
      model().give_back({which, model().take(which).fence});  // a lapsed one too is over
    }
  }
  void read(shard_id which) {
    if (!terms_[which]) return;
    const stored_time upto = due();
    const std::size_t limit = below(4);
    const read_result a = model().read(terms_[which]->model, upto, limit);
    const read_result b = bed().read(terms_[which]->bed, upto, limit);
    ASSERT_EQ(a.stands, b.stands);
    ASSERT_EQ(a.upto, b.upto);
    same(a.due, b.due);
    ASSERT_EQ(a.announced_keys.size(), b.announced_keys.size());
    for (std::size_t i = 0; i < a.announced_keys.size(); ++i) {
      ASSERT_EQ(a.announced_keys[i].key, b.announced_keys[i].key);
      ASSERT_EQ(a.announced_keys[i].question, b.announced_keys[i].question);
    }
    same(a.announced_now, b.announced_now);
    for (const record& its : a.due) runs_.push_back({*terms_[which], its});
    for (const record& its : a.announced_now) runs_.push_back({*terms_[which], its});
  }
  void put() {
    const auto mode = static_cast<put_mode>(below(4));
    record what = timer(key(), below(8) == 0 && id_ > 1 ? id_ : ++id_, due(), shard());
    what.payload = bytes_of(std::to_string(id_));
    ASSERT_EQ(model().put(what, mode), bed().put(what, mode)) << what.key << " mode " << static_cast<int>(mode);
  }
  void cancel() {
    const shard_id which = shard();
    const std::string name = key();
    const std::uint64_t question = ++id_;
    ASSERT_EQ(model().cancel(which, name, question), bed().cancel(which, name, question)) << name;
    questions_.push_back({which, question});
  }
  void revive() {
    const record what = timer(key(), ++id_, due(), shard());
    ASSERT_EQ(model().revive(what), bed().revive(what)) << what.key;
  }
  void end() {
    if (runs_.empty()) return;
    const run_of& run = runs_[below(runs_.size())];
    end_request of = end_of(run.term.model, run.what, static_cast<end_kind>(below(4)));
    of.due = due();
    of.attempt = static_cast<std::uint32_t>(below(5) + 1);
    of.why = "why " + std::to_string(id_);
    if (!questions_.empty() && below(2) == 0) {
      of.question = questions_[below(questions_.size())].question;
      of.reply = static_cast<answer>(below(3) + 1);
    }
    const end_status a = model().end(of);
    of.term = run.term.bed;
    ASSERT_EQ(a, bed().end(of)) << of.key << " kind " << static_cast<int>(of.how);
    if (of.question != 0) questions_.push_back({of.term.shard, of.question});
  }

  void same(const std::vector<record>& a, const std::vector<record>& b) {
    ASSERT_EQ(keys_of(a), keys_of(b));
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].id, b[i].id) << a[i].key;
      ASSERT_EQ(a[i].due, b[i].due) << a[i].key;
      ASSERT_EQ(a[i].attempt, b[i].attempt) << a[i].key;
      ASSERT_EQ(a[i].payload, b[i].payload) << a[i].key;
    }
  }
  void everything_is_the_same() {
    for (shard_id which = 0; which < bed_shards; ++which)
      for (const bool dead : {false, true}) {
        const auto a = model().list({.shard = which, .dead = dead});
        const auto b = bed().list({.shard = which, .dead = dead});
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
          same({a[i].what}, {b[i].what});
          ASSERT_EQ(a[i].why, b[i].why);
        }
      }
  }

  std::mt19937_64 random_;
  Bed bed_;
  memory model_;
  std::shared_ptr<store> model_store_;
  std::array<std::optional<side_term>, bed_shards> terms_;
  std::vector<run_of> runs_;
  std::vector<question_ref> questions_;
  std::uint64_t id_ = 0;
};

}  // namespace durable_test
