// SPDX-License-Identifier: MIT
#include "change_words.hpp"

#include "record_bytes.hpp"

#include <algorithm>

namespace detent::durable::redis {

namespace {

constexpr std::size_t longest_reason = 256;

std::string_view text_in(const std::vector<std::byte>& bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns the reason with its length in front, as a grave has it.
std::string_view framed(std::string_view why, arena& in) {
  why = why.substr(0, longest_reason);
  char* const room = in.room(why.size() + 2);
  arena::write(room, why.size(), 2);
  std::copy(why.begin(), why.end(), room + 2);
  return {room, why.size() + 2};
}

}  // namespace

void change_words::add(const put_request& what) {
  static constexpr std::string_view letters = "krxmv";  // in the order of put_mode
  static_assert(static_cast<int>(put_mode::revive) == 4);
  const record& its = what.what;
  const bool is_whole = what.mode != put_mode::move && what.mode != put_mode::revive;
  kinds_.push_back(letters[static_cast<std::size_t>(what.mode)]);
  keys_.emplace_back(its.key);
  extras_.push_back(is_whole ? pack(its, in_)
                             : pack_head(its.id, its.due, 1, what.mode == put_mode::move && its.by_rule, in_));
  times_.push_back(score_of(its.due));
  is_plain_ = is_plain_ && is_whole && its.schedule.empty();
}

void change_words::add(const cancel_request& what) {
  is_plain_ = false;
  kinds_.push_back('c');
  keys_.emplace_back(what.key);
  extras_.push_back(in_.bytes_of(what.question, 8));
}

void change_words::add(const end_request& what) {
  static constexpr std::string_view letters = "EMKLU";  // in the order of end_kind
  static_assert(static_cast<int>(end_kind::unkeep) == 4);
  static constexpr std::string_view replies = "0123";  // in the order of `answer`
  is_plain_ = false;
  kinds_.push_back(what.payload && what.how == end_kind::move ? 'P' : letters[static_cast<std::size_t>(what.how)]);
  keys_.emplace_back(what.key);
  char head[16];
  arena::write(head, what.id, 8);
  arena::write(head + 8, static_cast<std::uint64_t>(score_of(what.ran)), 8);
  heads_.append(head, sizeof head);
  replies_.push_back(what.question == 0 ? '-' : replies[static_cast<std::size_t>(what.reply)]);
  if (what.how == end_kind::move) extras_.push_back(pack_head(what.id, what.due, what.attempt, what.by_rule, in_));
  if (kinds_.back() == 'P') extras_.push_back(text_in(*what.payload));
  if (what.how == end_kind::kill) extras_.push_back(framed(what.why, in_));
}

void change_words::add_nothing() {
  is_plain_ = false;
  kinds_.push_back('n');
  keys_.emplace_back();
}

std::vector<std::string_view> change_words::words(shard_id shard, std::string_view node, std::uint64_t fence,
                                                  std::optional<std::uint64_t> before, std::uint64_t turn) {
  if (replies_.find_first_not_of('-') == std::string::npos) replies_.clear();
  std::vector<std::string_view> all = {in_.number(std::int64_t{store_format}),
                                       in_.number(std::int64_t{shard}),
                                       in_.copy(kinds_),
                                       node,
                                       in_.number(fence),
                                       is_plain_ ? in_.number(*std::ranges::min_element(times_)) : std::string_view(),
                                       in_.copy(heads_),
                                       in_.copy(replies_)};
  all.reserve(all.size() + 2 + 2 * keys_.size() + extras_.size());
  for (std::size_t i = 0; i != keys_.size(); ++i) {
    if (is_plain_) all.push_back(in_.number(times_[i]));
    all.push_back(keys_[i]);
  }
  all.insert(all.end(), extras_.begin(), extras_.end());
  all.push_back(before ? in_.number(*before) : std::string_view());
  all.push_back(turn != 0 ? in_.number(turn) : std::string_view());
  return all;
}

change_status status_of(char letter) noexcept {
  switch (letter) {
    case 's': return change_status::stored;
    case 'r': return change_status::replaced;
    case 'k': return change_status::kept;
    case 'x': return change_status::exists;
    case 'm': return change_status::moved;
    case 'g': return change_status::gone;
    case 'c': return change_status::cancelled;
    case 'a': return change_status::asked;
    case 'w': return change_status::withdrawn;
    case 'e': return change_status::ended;
    case 'f': return change_status::fenced;
    default: return change_status::unanswered;
  }
}

}  // namespace detent::durable::redis
