// SPDX-License-Identifier: MIT
#include "term_book.hpp"

#include <algorithm>

namespace detent::durable::detail {
namespace {

constexpr auto answers_kept = std::chrono::minutes(1);
constexpr std::size_t many_answers = 4096;

}  // namespace

bool term_book::stands(const term_ref& term) const noexcept {
  return term.shard < shards_.size() && shards_[term.shard].fence == term.fence && left(term.shard).count() != 0;
}

std::chrono::milliseconds term_book::left(shard_id shard) const noexcept {
  const std::chrono::nanoseconds left = shards_[shard].until - clock_.elapsed();
  return std::chrono::ceil<std::chrono::milliseconds>(std::max(left, std::chrono::nanoseconds(0)));
}

std::string_view term_book::owner(shard_id shard) const noexcept {
  return left(shard).count() != 0 ? std::string_view(shards_[shard].node) : std::string_view();
}

take_result term_book::offer(std::string_view node, shard_id shard) const noexcept {
  const shard_terms& its = shards_[shard];
  if (const auto held = left(shard); held.count() != 0) return {.left = held};
  return {.status = take_status::taken,
          .fence = std::max(its.fence + 1, static_cast<std::uint64_t>(now().time_since_epoch().count())),
          .abandoned = its.abandoned,
          .former = its.node == node ? 0 : its.fence};
}

void term_book::begin(std::string_view node, const term_ref& term, std::chrono::milliseconds lease) {
  shard_terms& its = shards_[term.shard];
  its.node = node;
  its.fence = term.fence;
  its.until = clock_.elapsed() + lease;
  its.upto = {};
  its.abandoned = true;
  its.announced_keys.clear();
  its.unread.clear();
  its.handed_over.clear();
}

void term_book::announce(shard_id shard, announced what) {
  shard_terms& its = shards_[shard];
  if (what.question == 0 && what.kept == 0) its.unread.insert(what.key);
  its.announced_keys.push_back(std::move(what));
}

std::vector<announced> term_book::take_announced(shard_id shard) {
  shard_terms& its = shards_[shard];
  its.handed_over = std::exchange(its.unread, {});
  return std::exchange(its.announced_keys, {});
}

void term_book::give_back(const term_ref& term) noexcept {
  if (!stands(term)) return;
  shards_[term.shard].until = {};
  shards_[term.shard].upto = {};
  shards_[term.shard].abandoned = false;
}

void term_book::lapse(const term_ref& term) noexcept {
  if (stands(term)) shards_[term.shard].until = {};
}

void term_book::renew(const term_ref& term, std::chrono::milliseconds lease) noexcept {
  shards_[term.shard].until = clock_.elapsed() + lease;
}

void term_book::advance(shard_id shard, const read_place& upto) noexcept {
  shards_[shard].upto = std::max(shards_[shard].upto, upto);
}

void term_book::answer_to(shard_id shard, std::uint64_t question, answer reply) {
  auto& answers = shards_[shard].answers;
  const std::chrono::nanoseconds now = clock_.elapsed();
  if (answers.size() >= many_answers)
    std::erase_if(answers, [&](auto& old) { return now - old.second.at > answers_kept; });
  answers[question] = {reply, now};
}

answer term_book::answer_of(const question_ref& which) const noexcept {
  const auto& answers = shards_[which.shard].answers;
  const auto found = answers.find(which.question);
  return found == answers.end() ? answer::none : found->second.what;
}

void term_book::call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) {
  const std::chrono::nanoseconds now = clock_.elapsed();
  std::erase_if(nodes_, [&](auto& other) { return other.second <= now; });
  nodes_.insert_or_assign(std::string(node), now + live_for);
  out.now = clock_.wall_now();
  out.nodes.clear();
  for (const auto& [name, until] : nodes_) out.nodes.push_back(name);
}

}  // namespace detent::durable::detail
