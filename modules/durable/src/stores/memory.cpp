// SPDX-License-Identifier: MIT
#include "memory_data.hpp"

#include <detent/durable_memory.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace detent::durable {
namespace detail {
namespace {

class memory_store final : public store {
 public:
  explicit memory_store(std::shared_ptr<memory_data> data) : data_(std::move(data)) {}
  ~memory_store() override { listen(nullptr); }

  shard_id shards() const noexcept override { return data_->book.shards(); }
  std::string_view name() const noexcept override { return "memory"; }
  errc call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) override;
  errc take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) override;
  errc give_back(std::span<const term_ref> what) override;
  errc read_on(std::span<const read_request> what, std::span<read_result> results) override;
  errc end(std::span<const end_request> what, std::span<end_status> results) override;
  errc put(std::span<const put_request> what, std::span<put_status> results) override;
  errc cancel(std::span<const cancel_request> what, std::span<cancel_status> results) override;
  errc read_answers(std::span<const question_ref> what, std::span<answer> results) override;
  errc revive(std::span<const put_request> what, std::span<put_status> results) override;
  errc list(const list_request& which, std::vector<listed_record>& out) override;
  errc look(std::span<shard_state> shards) override;
  void listen(std::function<void(shard_id)> wake) override;

 private:
  void announce(shard_id shard, announced what);
  put_status put_one(const put_request& what);
  end_status end_one(const end_request& what);
  read_result read_one(const read_request& what);

  std::shared_ptr<memory_data> data_;
};

errc memory_store::call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) {
  const std::lock_guard locked(data_->lock);
  data_->book.call_roll(node, live_for, out);
  return errc{};
}

errc memory_store::take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) {
  const std::lock_guard locked(data_->lock);
  term_book& book = data_->book;
  for (std::size_t i = 0; i < what.size(); ++i) {
    const shard_id shard = what[i].shard;
    results[i] = {.left = book.left(shard)};
    if (results[i].left.count() != 0) continue;
    results[i] = {.status = take_status::taken, .fence = book.next_fence(shard)};
    book.begin(node, {shard, results[i].fence}, what[i].lease);
  }
  return errc{};
}

errc memory_store::give_back(std::span<const term_ref> what) {
  const std::lock_guard locked(data_->lock);
  for (const term_ref& term : what) data_->book.give_back(term);
  return errc{};
}

read_result memory_store::read_one(const read_request& what) {
  term_book& book = data_->book;
  memory_shard& shard = data_->shards[what.term.shard];
  read_result out;
  if (!book.stands(what.term)) return out;
  out.stands = true;
  book.renew(what.term, what.lease);
  const stored_time level = book.level(what.term.shard);
  if (what.limit != 0) {
    const bool all = shard.read(level, what.upto, what.limit, out.due);
    book.advance(what.term.shard, all ? what.upto : out.due.back().due);
  }
  out.upto = book.level(what.term.shard);
  out.announced_keys = book.take_announced(what.term.shard);
  std::set<std::string> seen;
  for (const announced& its : out.announced_keys) {
    if (its.question != 0 || !seen.insert(its.key).second) continue;
    if (const record* now = shard.find(its.key)) out.announced_now.push_back(*now);
  }
  return out;
}

errc memory_store::read_on(std::span<const read_request> what, std::span<read_result> results) {
  const std::lock_guard locked(data_->lock);
  std::ranges::transform(what, results.begin(), [&](const read_request& one) { return read_one(one); });
  return errc{};
}

end_status memory_store::end_one(const end_request& what) {
  term_book& book = data_->book;
  memory_shard& shard = data_->shards[what.term.shard];
  if (!book.stands(what.term)) return end_status::fenced;
  if (what.question != 0) book.answer_to(what.term.shard, what.question, what.reply);
  const record* its = shard.find(what.key);
  if (its == nullptr || its->id != what.id) return end_status::gone;
  if (what.how == end_kind::move && its->due == what.due && its->attempt == what.attempt) return end_status::ended;
  if (its->due != what.ran) return end_status::gone;
  switch (what.how) {
    case end_kind::erase: shard.erase(what.key); break;
    case end_kind::kill: shard.kill(what.key, what.why); break;
    case end_kind::move: {
      record moved = *its;
      moved.due = what.due;
      moved.attempt = what.attempt;
      shard.set(std::move(moved));
      break;
    }
    case end_kind::leave: break;
  }
  return end_status::ended;
}

errc memory_store::end(std::span<const end_request> what, std::span<end_status> results) {
  const std::lock_guard locked(data_->lock);
  std::ranges::transform(what, results.begin(), [&](const end_request& one) { return end_one(one); });
  return errc{};
}

void memory_store::announce(shard_id shard, announced what) {
  data_->book.announce(shard, std::move(what));
  for (const auto& [connection, wake] : data_->listeners) wake(shard);
}

put_status memory_store::put_one(const put_request& what) {
  memory_shard& shard = data_->shards[what.what.shard];
  const record* old = shard.find(what.what.key);
  if (old != nullptr && old->id == what.what.id)
    return what.mode == put_mode::move ? put_status::moved : put_status::stored;
  if (old != nullptr && what.mode == put_mode::keep) return put_status::kept;
  if (old != nullptr && what.mode == put_mode::fail) return put_status::exists;
  if (old == nullptr && what.mode == put_mode::move) return put_status::gone;

  record now = what.what;
  put_status status = put_status::stored;
  stored_time nearest = now.due;
  if (old != nullptr) {
    nearest = std::min(nearest, old->due);
    status = put_status::replaced;
  }
  if (what.mode == put_mode::move) {
    now = *old;
    now.id = what.what.id;
    now.due = what.what.due;
    now.attempt = 1;
    status = put_status::moved;
  }
  const std::string key = now.key;
  shard.set(std::move(now));
  shard.erase_dead(key);
  if (data_->book.has_to_announce(what.what.shard, nearest)) announce(what.what.shard, {key});
  return status;
}

errc memory_store::put(std::span<const put_request> what, std::span<put_status> results) {
  const std::lock_guard locked(data_->lock);
  std::ranges::transform(what, results.begin(), [&](const put_request& one) { return put_one(one); });
  return errc{};
}

errc memory_store::cancel(std::span<const cancel_request> what, std::span<cancel_status> results) {
  const std::lock_guard locked(data_->lock);
  std::ranges::transform(what, results.begin(), [&](const cancel_request& one) {
    memory_shard& shard = data_->shards[one.shard];
    const record* its = shard.find(one.key);
    if (its == nullptr) return shard.erase_dead(one.key) ? cancel_status::cancelled : cancel_status::gone;
    if (its->due > data_->book.level(one.shard)) {
      shard.erase(one.key);
      if (!data_->book.has_unread(one.shard, one.key)) return cancel_status::cancelled;
      announce(one.shard, {one.key, one.question});
      return cancel_status::withdrawn;
    }
    if (data_->book.has_to_announce(one.shard, its->due)) announce(one.shard, {one.key, one.question});
    return cancel_status::asked;
  });
  return errc{};
}

errc memory_store::read_answers(std::span<const question_ref> what, std::span<answer> results) {
  const std::lock_guard locked(data_->lock);
  std::ranges::transform(what, results.begin(), [&](const question_ref& one) { return data_->book.answer_of(one); });
  return errc{};
}

errc memory_store::revive(std::span<const put_request> what, std::span<put_status> results) {
  const std::lock_guard locked(data_->lock);
  std::ranges::transform(what, results.begin(), [&](const put_request& one) {
    memory_shard& shard = data_->shards[one.what.shard];
    const memory_shard::grave* its = shard.find_dead(one.what.key);
    if (its == nullptr) {
      const record* lives = shard.find(one.what.key);
      return lives != nullptr && lives->id == one.what.id ? put_status::stored : put_status::gone;
    }
    put_request again{its->what, put_mode::keep};
    again.what.id = one.what.id;
    again.what.due = one.what.due;
    again.what.attempt = 1;
    return put_one(again);
  });
  return errc{};
}

errc memory_store::list(const list_request& which, std::vector<listed_record>& out) {
  const std::lock_guard locked(data_->lock);
  data_->shards[which.shard].list(which, out);
  return errc{};
}

errc memory_store::look(std::span<shard_state> shards) {
  const std::lock_guard locked(data_->lock);
  const term_book& book = data_->book;
  for (shard_id shard = 0; shard != static_cast<shard_id>(shards.size()); ++shard)
    shards[shard] = {.shard = shard,
                     .fence = book.fence(shard),
                     .node = std::string(book.owner(shard)),
                     .upto = book.level(shard),
                     .timers = data_->shards[shard].timers(),
                     .dead = data_->shards[shard].dead()};
  return errc{};
}

void memory_store::listen(std::function<void(shard_id)> wake) {
  const std::lock_guard locked(data_->lock);
  data_->listeners.erase(this);
  if (wake) data_->listeners.emplace(this, std::move(wake));
}

}  // namespace
}  // namespace detail

memory::memory(shard_id shards) {
  if (shards < 1 || shards > 1024)
    throw error(detent::errc::invalid_option, "memory: " + std::to_string(shards) + " shards: from 1 to 1024");
  data_ = std::make_shared<detail::memory_data>(shards);
}

std::shared_ptr<store> memory::connect() { return std::make_shared<detail::memory_store>(data_); }

}  // namespace detent::durable
