// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_store.hpp>

namespace detent::durable::detail {

// A store or a view whose look-ups another object carries out. Derived::by_lookups(f) calls f with that object, and
// returns the result.
template <class Base, class Derived>
class looking : public Base {
 public:
  errc find(const timer_ref& which, std::optional<listed_record>& out) override {
    return self().by_lookups([&](auto& in) { return in.find(which, out); });
  }
  errc find_by_key(const key_request& which, std::vector<listed_record>& out) override {
    return self().by_lookups([&](auto& in) { return in.find_by_key(which, out); });
  }
  errc list(const list_request& which, list_page& out) override {
    return self().by_lookups([&](auto& in) { return in.list(which, out); });
  }
  errc look(std::span<shard_state> shards) override {
    return self().by_lookups([&](auto& in) { return in.look(shards); });
  }
  errc count_due(stored_time by, std::span<std::uint64_t> shards) override {
    return self().by_lookups([&](auto& in) { return in.count_due(by, shards); });
  }

 private:
  Derived& self() noexcept { return static_cast<Derived&>(*this); }
};

}  // namespace detent::durable::detail
