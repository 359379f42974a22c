// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_store.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace detent::test {

inline durable::record timer(std::string key, std::uint64_t id) {
  durable::record its;
  its.key = std::move(key);
  its.id = id;
  its.due = durable::stored_time(std::chrono::seconds(1'000'000'000));
  its.handler = "h";
  return its;
}

// Carries out one change. Its status stays unanswered where the call failed.
struct applied {
  durable::errc code;
  durable::change_status status = durable::change_status::unanswered;
};
inline applied apply(durable::store& to, const durable::change& what) {
  applied out{};
  out.code = to.apply({&what, 1}, {&out.status, 1});
  return out;
}
inline durable::errc put(durable::store& to, const durable::record& what) {
  return apply(to, durable::put_request{what}).code;
}

// The calls below must succeed.
inline durable::term_ref take(durable::store& from, durable::shard_id shard = 0) {
  const durable::take_request wanted{shard, std::chrono::hours(1)};
  durable::take_result term;
  EXPECT_EQ(from.take("n", {&wanted, 1}, {&term, 1}), durable::errc{});
  return {shard, term.fence};
}
inline durable::read_result read(durable::store& from, const durable::term_ref& term,
                                 durable::stored_time upto = timer({}, 0).due) {
  const durable::read_request wanted{term, upto, 9, std::chrono::hours(1)};
  durable::read_result out;
  EXPECT_EQ(from.read_on({&wanted, 1}, {&out, 1}), durable::errc{});
  return out;
}
// All pieces, up to the limit.
inline std::vector<durable::listed_record> list_all(durable::store_view& in, durable::list_request which) {
  std::vector<durable::listed_record> out;
  do {
    durable::list_page page;
    EXPECT_EQ(in.list(which, page), durable::errc{});
    which.limit -= page.found.size();
    which.after = std::move(page.next);
    std::ranges::move(page.found, std::back_inserter(out));
  } while (which.limit != 0 && !which.after.empty());
  return out;
}

}  // namespace detent::test
