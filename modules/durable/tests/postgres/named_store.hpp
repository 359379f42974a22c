// SPDX-License-Identifier: MIT
// The suite names timers by any bytes. This store has the names of timers alone, which stored_key() makes, in text:
// between the two, each of the suite's keys that is no such name is the key of a timer without a partition.
#pragma once

#include <detent/durable_store.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace durable_test {

inline std::string named(const std::string& key) {
  const bool is_name = key.starts_with('\0') || !detent::durable::parts_of(key).partition.empty();
  return is_name ? key : detent::durable::stored_key(key);
}
inline std::string bare(const std::string& name) {
  const detent::durable::key_parts its = detent::durable::parts_of(name);
  return its.partition.empty() ? std::string(its.key) : name;
}

class named_store final : public detent::durable::store {
  using errc = detent::durable::errc;

 public:
  explicit named_store(std::shared_ptr<detent::durable::store> its) : its_(std::move(its)) {}

  detent::durable::shard_id shards() const noexcept override { return its_->shards(); }
  std::string_view name() const noexcept override { return its_->name(); }
  errc call_roll(std::string_view node, std::chrono::milliseconds live_for, detent::durable::roll_call& out) override {
    return its_->call_roll(node, live_for, out);
  }
  errc take(std::string_view node, std::span<const detent::durable::take_request> what,
            std::span<detent::durable::take_result> results) override {
    return its_->take(node, what, results);
  }
  errc give_back(std::span<const detent::durable::term_ref> what) override { return its_->give_back(what); }
  errc read_on(std::span<const detent::durable::read_request> what,
               std::span<detent::durable::read_result> results) override {
    const errc code = its_->read_on(what, results);
    for (auto& one : results) {
      for (auto& each : one.due) each.key = bare(each.key);
      for (auto& each : one.announced_now) each.key = bare(each.key);
      for (auto& each : one.announced_keys) each.key = bare(each.key);
    }
    return code;
  }
  errc apply(std::span<const detent::durable::change> what,
             std::span<detent::durable::change_status> results) override {
    std::vector<detent::durable::change> changes(what.begin(), what.end());
    for (auto& one : changes) {
      if (auto* const put = std::get_if<detent::durable::put_request>(&one))
        put->what.key = named(put->what.key);
      else if (auto* const cancel = std::get_if<detent::durable::cancel_request>(&one))
        cancel->key = named(cancel->key);
      else if (auto* const end = std::get_if<detent::durable::end_request>(&one))
        end->key = named(end->key);
    }
    return its_->apply(changes, results);
  }
  errc read_answers(std::span<const detent::durable::question_ref> what,
                    std::span<detent::durable::answer> results) override {
    return its_->read_answers(what, results);
  }
  errc find(const detent::durable::timer_ref& which, std::optional<detent::durable::listed_record>& out) override {
    const errc code = its_->find({which.shard, named(which.key)}, out);
    if (out) out->what.key = bare(out->what.key);
    return code;
  }
  errc find_by_key(const detent::durable::key_request& which,
                   std::vector<detent::durable::listed_record>& out) override {
    return its_->find_by_key(which, out);
  }
  errc list(const detent::durable::list_request& which, detent::durable::list_page& out) override {
    const errc code = its_->list(which, out);
    for (auto& each : out.found) each.what.key = bare(each.what.key);
    return code;
  }
  errc count_due(detent::durable::stored_time by, std::span<std::uint64_t> shards) override {
    return its_->count_due(by, shards);
  }
  errc purge(const detent::durable::list_request& which, detent::durable::purge_page& out) override {
    return its_->purge(which, out);
  }
  errc look_at_deaths(std::size_t nth, std::span<detent::durable::stored_time> shards) override {
    return its_->look_at_deaths(nth, shards);
  }
  std::unique_ptr<detent::durable::store_view> view_apart() override;
  errc look(std::span<detent::durable::shard_state> shards) override { return its_->look(shards); }
  void listen(std::function<void(detent::durable::shard_id)> wake) override { its_->listen(std::move(wake)); }

 private:
  std::shared_ptr<detent::durable::store> its_;
};

class named_view final : public detent::durable::store_view {
  using errc = detent::durable::errc;

 public:
  explicit named_view(std::unique_ptr<detent::durable::store_view> its) : its_(std::move(its)) {}

  errc find(const detent::durable::timer_ref& which, std::optional<detent::durable::listed_record>& out) override {
    return its_->find({which.shard, named(which.key)}, out);
  }
  errc find_by_key(const detent::durable::key_request& which,
                   std::vector<detent::durable::listed_record>& out) override {
    return its_->find_by_key(which, out);
  }
  errc list(const detent::durable::list_request& which, detent::durable::list_page& out) override {
    return its_->list(which, out);
  }
  errc look(std::span<detent::durable::shard_state> shards) override { return its_->look(shards); }
  errc count_due(detent::durable::stored_time by, std::span<std::uint64_t> shards) override {
    return its_->count_due(by, shards);
  }

 private:
  std::unique_ptr<detent::durable::store_view> its_;
};

inline std::unique_ptr<detent::durable::store_view> named_store::view_apart() {
  return std::make_unique<named_view>(its_->view_apart());
}

}  // namespace durable_test
