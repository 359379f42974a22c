// SPDX-License-Identifier: MIT
// Calls the scripts of the Redis store as the store does, one at a time and by name.
#pragma once

#include <servers.hpp>

#include <detent/durable_store.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace detent::test {

namespace redis = durable::redis;

// The answer, flat: a number or text as text, an array's elements one after the other, nil as "-", an error as "!" and
// its kind's text.
class script_caller {
 public:
  explicit script_caller(const std::string& address, redis::credentials who = {},
                         std::chrono::microseconds patience = std::chrono::milliseconds(500))
      : to_({redis::parse_addresses(address)}, {std::move(who), patience}), opened_(to_.open()) {}

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

  // 1, the fence, whether the term before was not given back, and the fence of the node's former one; or 0, how long it
  // is held still. `nonce` says which take it is, where it is sent again.
  std::vector<std::string> take(const std::string& node, const std::string& nonce = {}) {
    const std::string its = nonce.empty() ? std::to_string(++takes_) : nonce;
    return call(redis::script::take, {"own", "announced"}, {node, "10000000", format, "t:announced:" + node, its});
  }
  // The level is a due time and the key that was read last of that instant, or no key.
  std::vector<std::string> read_on(const std::string& node, const std::string& fence, const std::string& level,
                                   const std::string& upto, const std::string& seen = "0",
                                   const std::string& level_key = {}, const std::string& limit = "100") {
    return call(redis::script::read_on, {"own", "announced", "due", "body"},
                {node, fence, "10000000", level, level_key, upto, limit, "1000000", seen});
  }
  // Without a turn. As the words of the script from the kinds on: node and fence of ends, the earliest due time, heads,
  // and answers.
  std::vector<std::string> apply(const std::vector<std::string>& what, const std::vector<std::string>& answers = {}) {
    std::vector<std::string> words = {format, shard};
    words.insert(words.end(), what.begin(), what.end());
    words.insert(words.end(), {"", ""});
    std::vector<std::string> keys = {"own", "announced", "due", "body", "dead", "grave", "next", "recurring", "names"};
    keys.insert(keys.end(), answers.begin(), answers.end());
    return call(redis::script::apply, std::move(keys), words);
  }
  // Each put has a mode, a key and a body.
  std::vector<std::string> put(const std::vector<std::string>& triples) {
    std::vector<std::string> words = {"", "", "", "", "", ""};
    for (std::size_t i = 0; i < triples.size(); i += 3) words[0] += triples[i];
    for (const std::size_t part : {1u, 2u})
      for (std::size_t i = part; i < triples.size(); i += 3) words.push_back(triples[i]);
    return apply(words);
  }
  std::vector<std::string> cancel(const std::string& key, const std::string& question) {
    return apply({"c", "", "", "", "", "", key, question}, {"answer"});
  }
  // The kinds; the beginnings of the bodies in one word; the keys, and what moves and kills need.
  std::vector<std::string> end(const std::string& node, const std::string& fence, const std::string& kinds,
                               const std::string& heads, const std::vector<std::string>& rest) {
    std::vector<std::string> words = {kinds, node, fence, "", heads, ""};
    words.insert(words.end(), rest.begin(), rest.end());
    return apply(words);
  }
  // Two of them.
  std::vector<std::string> list(const std::string& from, const std::string& after) {
    return call(redis::script::list, {"due", "body"}, {from, "inf", after, "2", "2", "1000000", "", "", "", "", ""});
  }

  const std::string format = std::to_string(durable::store_format);
  std::string shard = "07";
  redis::trouble failed;

 private:
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
