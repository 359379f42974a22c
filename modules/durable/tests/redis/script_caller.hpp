// SPDX-License-Identifier: MIT
// Calls the scripts of the Redis store as the store does, one at a time and by name.
#pragma once

#include <servers.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace detent::test {

namespace redis = durable::redis;

// The answer, flat: a number or text as text, an array's elements one after the other, nil as "-", an error as "!" and
// its kind's text.
class script_caller {
 public:
  explicit script_caller(const std::string& address, redis::credentials who = {},
                         std::chrono::microseconds patience = std::chrono::milliseconds(500))
      : to_(redis::parse_addresses(address), std::move(who), patience), opened_(to_.open()) {}

  const redis::trouble& opened() const noexcept { return opened_; }
  redis::servers& to() noexcept { return to_; }

  std::vector<std::string> call(redis::script what, std::vector<std::string> keys, std::vector<std::string> words) {
    for (std::string& key : keys) key = "t:{" + shard + "}:" + key;
    redis::call one{what, keys, {words.begin(), words.end()}};
    to_.run(one);
    failed = one.failed;
    if (one.failed) return {"!" + one.failed.text.substr(one.failed.text.find(": ") + 2)};
    std::vector<std::string> flat;
    flatten(*one.answer, flat);
    return flat;
  }

  // The fence; or the owner and how long still. `nonce` says which take it is, where it is sent again.
  std::vector<std::string> take(const std::string& node, const std::string& nonce = {}) {
    const std::string its = nonce.empty() ? std::to_string(++takes_) : nonce;
    return call(redis::script::take, {"own", "announced"}, {node, "10000000", "1", "t:announced:" + node, its});
  }
  std::vector<std::string> read_on(const std::string& node, const std::string& fence, const std::string& level,
                                   const std::string& upto, const std::string& seen = "0") {
    return call(redis::script::read_on, {"own", "announced", "due", "body"},
                {node, fence, "10000000", level, upto, "100", seen});
  }
  // Of each: mode, key, due, body. A body is id and due time (8 bytes each), attempt (4), the rest.
  std::vector<std::string> put(const std::vector<std::string>& quadruples) {
    std::vector<std::string> words = {"1", shard, "", ""};
    std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < quadruples.size(); i += 4) {
      words[2] += quadruples[i];
      earliest = std::min<std::int64_t>(earliest, std::stoll(quadruples[i + 2]));
      words.insert(words.end(), {quadruples[i + 2], quadruples[i + 1]});
    }
    words[3] = std::to_string(earliest);
    for (std::size_t i = 3; i < quadruples.size(); i += 4) words.push_back(quadruples[i]);
    return call(redis::script::put, all_keys(), words);
  }
  // The kinds, the keys, the beginnings of their bodies in one word, and what moves and kills need.
  std::vector<std::string> end(const std::string& node, const std::string& fence,
                               const std::vector<std::string>& what) {
    std::vector<std::string> words = {node, fence};
    words.insert(words.end(), what.begin(), what.end());
    return call(redis::script::end, all_keys(), words);
  }
  std::vector<std::string> list(const std::string& from, const std::string& after) {
    return call(redis::script::list, {"due", "body"}, {from, "+inf", after, "2"});
  }

  std::string shard = "07";
  redis::trouble failed;

 private:
  static std::vector<std::string> all_keys() { return {"own", "announced", "due", "body", "dead", "grave"}; }

  static void flatten(const redisReply& from, std::vector<std::string>& flat) {
    if (from.type == REDIS_REPLY_ARRAY) {
      for (std::size_t i = 0; i != from.elements; ++i) flatten(*from.element[i], flat);
    } else if (from.type == REDIS_REPLY_INTEGER) {
      flat.push_back(std::to_string(from.integer));
    } else {
      flat.push_back(from.type == REDIS_REPLY_NIL ? "-" : std::string(redis::text_of(from)));
    }
  }

  int takes_ = 0;
  redis::servers to_;
  redis::trouble opened_;
};

}  // namespace detent::test
