// SPDX-License-Identifier: MIT
// A store between the timers and the real one: it writes into the journal which ends the real one has answered.
#pragma once

#include "journal.hpp"

#include <detent/durable_store.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chaos {

class watched final : public detent::durable::store {
 public:
  watched(std::shared_ptr<store> of, const journal& book, std::string node);
  ~watched() override;

  detent::durable::shard_id shards() const noexcept override { return of_->shards(); }
  std::string_view name() const noexcept override { return of_->name(); }
  detent::durable::errc call_roll(std::string_view node, std::chrono::milliseconds live_for,
                                  detent::durable::roll_call& out) override {
    return noted(of_->call_roll(node, live_for, out));
  }
  detent::durable::errc take(std::string_view node, std::span<const detent::durable::take_request> what,
                             std::span<detent::durable::take_result> results) override {
    return noted(of_->take(node, what, results));
  }
  detent::durable::errc give_back(std::span<const detent::durable::term_ref> what) override {
    return noted(of_->give_back(what));
  }
  detent::durable::errc read_on(std::span<const detent::durable::read_request> what,
                                std::span<detent::durable::read_result> results) override {
    return noted(of_->read_on(what, results));
  }
  detent::durable::errc end(std::span<const detent::durable::end_request> what,
                            std::span<detent::durable::end_status> results) override;
  detent::durable::errc put(std::span<const detent::durable::put_request> what,
                            std::span<detent::durable::put_status> results) override {
    return noted(of_->put(what, results));
  }
  detent::durable::errc cancel(std::span<const detent::durable::cancel_request> what,
                               std::span<detent::durable::cancel_status> results) override {
    return noted(of_->cancel(what, results));
  }
  detent::durable::errc read_answers(std::span<const detent::durable::question_ref> what,
                                     std::span<detent::durable::answer> results) override {
    return noted(of_->read_answers(what, results));
  }
  detent::durable::errc revive(std::span<const detent::durable::put_request> what,
                               std::span<detent::durable::put_status> results) override {
    return noted(of_->revive(what, results));
  }
  detent::durable::errc list(const detent::durable::list_request& which,
                             std::vector<detent::durable::listed_record>& out) override {
    return noted(of_->list(which, out));
  }
  detent::durable::errc look(std::span<detent::durable::shard_state> shards) override {
    return noted(of_->look(shards));
  }
  void listen(std::function<void(detent::durable::shard_id)> wake) override { of_->listen(std::move(wake)); }

 private:
  // Of the thread that calls, us: when, and how long it has run and waited for a processor.
  struct moment {
    std::int64_t at = 0, busy = 0;
  };

  detent::durable::errc noted(detent::durable::errc problem) noexcept {
    last_ = read();
    return problem;
  }
  moment read() noexcept;

  const std::shared_ptr<store> of_;
  const journal& book_;
  const std::string node_;
  moment last_;             // the end of its last call
  bool ends_fail_ = false;  // the next try comes after a delay
  int waits_ = -1;          // of that thread, what the kernel counts
};

}  // namespace chaos
