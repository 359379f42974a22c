// SPDX-License-Identifier: MIT
// A store that passes each call on to another one, for stores of tests that change some of them. It has no journal(),
// so that all ends pass through apply().
#pragma once

#include <detent/durable_store.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace durable_test {

using namespace detent::durable;

class passing_store : public store {
 public:
  explicit passing_store(std::shared_ptr<store> to) : to_(std::move(to)) {}

  run_tokens* tokens() noexcept override { return to_->tokens(); }
  shard_id shards() const noexcept override { return to_->shards(); }
  std::string_view name() const noexcept override { return to_->name(); }
  bool names_are_text() const noexcept override { return to_->names_are_text(); }
  errc call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) override {
    return to_->call_roll(node, live_for, out);
  }
  errc take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) override {
    return to_->take(node, what, results);
  }
  errc give_back(std::span<const term_ref> what) override { return to_->give_back(what); }
  errc read_on(std::span<const read_request> what, std::span<read_result> results) override {
    return to_->read_on(what, results);
  }
  errc apply(std::span<const change> what, std::span<change_status> results) override {
    return to_->apply(what, results);
  }
  errc read_answers(std::span<const question_ref> what, std::span<answer> results) override {
    return to_->read_answers(what, results);
  }
  errc find(const timer_ref& which, std::optional<listed_record>& out) override { return to_->find(which, out); }
  errc find_by_key(const key_request& which, std::vector<listed_record>& out) override {
    return to_->find_by_key(which, out);
  }
  errc list(const list_request& which, list_page& out) override { return to_->list(which, out); }
  errc count_due(stored_time by, std::span<std::uint64_t> shards) override { return to_->count_due(by, shards); }
  errc purge(const list_request& which, purge_page& out) override { return to_->purge(which, out); }
  errc look_at_deaths(std::size_t nth, std::span<stored_time> shards) override {
    return to_->look_at_deaths(nth, shards);
  }
  errc look_at_roll(roll_state& out) override { return to_->look_at_roll(out); }
  std::unique_ptr<store_view> view_apart() override { return to_->view_apart(); }
  errc look(std::span<shard_state> shards) override { return to_->look(shards); }
  void listen(std::function<void(shard_id)> wake) override { to_->listen(std::move(wake)); }

 protected:
  const std::shared_ptr<store> to_;
};

}  // namespace durable_test
