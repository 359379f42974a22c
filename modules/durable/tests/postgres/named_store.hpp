// SPDX-License-Identifier: MIT
// The suite names timers by any bytes. This store has the names of timers alone, which stored_key() makes, in text:
// between the two, each of the suite's keys that is no such name is the key of a timer without a partition.
#pragma once

#include "../passing_store.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace durable_test {

inline std::string named(const std::string& key) {
  const bool is_name = key.starts_with('\0') || !parts_of(key).partition.empty();
  return is_name ? key : stored_key(key);
}
inline std::string bare(const std::string& name) {
  const key_parts its = parts_of(name);
  return its.partition.empty() ? std::string(its.key) : name;
}

class named_view final : public store_view {
 public:
  explicit named_view(std::unique_ptr<store_view> its) : its_(std::move(its)) {}

  errc find(const timer_ref& which, std::optional<listed_record>& out) override {
    return its_->find({which.shard, named(which.key)}, out);
  }
  errc find_by_key(const key_request& which, std::vector<listed_record>& out) override {
    return its_->find_by_key(which, out);
  }
  errc list(const list_request& which, list_page& out) override { return its_->list(which, out); }
  errc look(std::span<shard_state> shards) override { return its_->look(shards); }
  errc count_due(stored_time by, std::span<std::uint64_t> shards) override { return its_->count_due(by, shards); }

 private:
  std::unique_ptr<store_view> its_;
};

class named_store final : public passing_store {
 public:
  using passing_store::passing_store;

  errc read_on(std::span<const read_request> what, std::span<read_result> results) override {
    const errc code = to_->read_on(what, results);
    for (read_result& one : results) {
      for (record& each : one.due) each.key = bare(each.key);
      for (record& each : one.announced_now) each.key = bare(each.key);
      for (announced& each : one.announced_keys) each.key = bare(each.key);
    }
    return code;
  }
  errc apply(std::span<const change> what, std::span<change_status> results) override {
    std::vector<change> changes(what.begin(), what.end());
    for (change& one : changes) {
      if (auto* const put = std::get_if<put_request>(&one))
        put->what.key = named(put->what.key);
      else if (auto* const cancel = std::get_if<cancel_request>(&one))
        cancel->key = named(cancel->key);
      else if (auto* const end = std::get_if<end_request>(&one))
        end->key = named(end->key);
    }
    return to_->apply(changes, results);
  }
  errc find(const timer_ref& which, std::optional<listed_record>& out) override {
    const errc code = to_->find({which.shard, named(which.key)}, out);
    if (out) out->what.key = bare(out->what.key);
    return code;
  }
  errc list(const list_request& which, list_page& out) override {
    const errc code = to_->list(which, out);
    for (listed_record& each : out.found) each.what.key = bare(each.what.key);
    return code;
  }
  std::unique_ptr<store_view> view_apart() override { return std::make_unique<named_view>(to_->view_apart()); }
};

}  // namespace durable_test
