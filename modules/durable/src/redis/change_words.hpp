// SPDX-License-Identifier: MIT
// Changes of timers as the words of the script that carries them out.
#pragma once

#include "arena.hpp"

#include <detent/durable_store.hpp>

namespace detent::durable::redis {

// The changes that one call of the script carries out. The changes that are added must outlive this object, and so do
// the words that it returns as long as the arena lives.
class change_words {
 public:
  explicit change_words(arena& in) : in_(in) {}

  void add(const put_request& what);
  void add(const cancel_request& what);
  void add(const end_request& what);
  void add_nothing();  // takes the place of a change that was carried out before

  // Returns the script's ARGV. A turn of 0 stands for none.
  std::vector<std::string_view> words(shard_id shard, std::string_view node, std::uint64_t fence,
                                      std::optional<std::uint64_t> before = {}, std::uint64_t turn = 0);

 private:
  arena& in_;
  std::string kinds_, heads_, replies_;
  std::vector<std::string_view> keys_, extras_;
  std::vector<std::int64_t> times_;
  bool is_plain_ = true;  // all are puts of timers that run once, and may be new
};

change_status status_of(char letter) noexcept;

}  // namespace detent::durable::redis
