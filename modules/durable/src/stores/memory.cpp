// SPDX-License-Identifier: MIT
#include "memory_data.hpp"

#include <detent/durable_memory.hpp>

#include <algorithm>

namespace detent::durable {
namespace detail {
namespace {

// The look-ups are the same in the store and in a separate view. Each call takes the lock.
template <class Base>
class memory_viewing : public Base {
 public:
  explicit memory_viewing(std::shared_ptr<memory_data> data) : data_(std::move(data)) {}

  errc find(const timer_ref& which, std::optional<listed_record>& out) override;
  errc find_by_key(const key_request& which, std::vector<listed_record>& out) override;
  errc list(const list_request& which, list_page& out) override;
  errc look(std::span<shard_state> shards) override;
  errc count_due(stored_time by, std::span<std::uint64_t> shards) override;

 protected:
  const std::shared_ptr<memory_data> data_;
};

template <class Base>
errc memory_viewing<Base>::find(const timer_ref& which, std::optional<listed_record>& out) {
  const std::lock_guard locked(data_->lock);
  memory_shard& in = data_->shards[which.shard];
  out.reset();
  if (const memory_shard::entry* const its = in.find(which.key))
    out = listed_record{its->what};
  else if (const listed_record* const dead = in.find_dead(which.key))
    out = *dead;
  return errc{};
}

template <class Base>
errc memory_viewing<Base>::find_by_key(const key_request& which, std::vector<listed_record>& out) {
  std::optional<listed_record> bare;
  if (const errc code = find(which.name, bare); code != errc{}) return code;
  out.clear();
  if (bare && bare->died.has_value() == which.dead) out.push_back(*std::move(bare));
  const std::lock_guard locked(data_->lock);
  for (const memory_shard& in : data_->shards) in.find_by_key(parts_of(which.name.key).key, which, out);
  return errc{};
}

template <class Base>
errc memory_viewing<Base>::list(const list_request& which, list_page& out) {
  const std::lock_guard locked(data_->lock);
  out = data_->shards[which.shard].list(which);
  return errc{};
}

template <class Base>
errc memory_viewing<Base>::look(std::span<shard_state> shards) {
  const std::lock_guard locked(data_->lock);
  const term_book& book = data_->book;
  for (shard_id shard = 0; shard != static_cast<shard_id>(shards.size()); ++shard)
    shards[shard] = {.shard = shard,
                     .fence = book.fence(shard),
                     .node = std::string(book.owner(shard)),
                     .upto = book.level(shard).due,
                     .timers = data_->shards[shard].timers(),
                     .dead = data_->shards[shard].dead()};
  return errc{};
}

template <class Base>
errc memory_viewing<Base>::count_due(stored_time by, std::span<std::uint64_t> shards) {
  const std::lock_guard locked(data_->lock);
  for (std::size_t shard = 0; shard != shards.size(); ++shard) shards[shard] = data_->shards[shard].count_due(by);
  return errc{};
}

class memory_store final : public memory_viewing<store> {
 public:
  using memory_viewing::memory_viewing;
  ~memory_store() override { listen(nullptr); }

  shard_id shards() const noexcept override { return data_->book.shards(); }
  std::string_view name() const noexcept override { return "memory"; }
  errc call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) override;
  errc take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) override;
  errc give_back(std::span<const term_ref> what) override;
  errc read_on(std::span<const read_request> what, std::span<read_result> results) override;
  errc apply(std::span<const change> what, std::span<change_status> results) override;
  errc read_answers(std::span<const question_ref> what, std::span<answer> results) override;
  errc purge(const list_request& which, purge_page& out) override;
  errc look_at_deaths(std::size_t nth, std::span<stored_time> shards) override;
  std::unique_ptr<store_view> view_apart() override { return std::make_unique<memory_viewing<store_view>>(data_); }
  void listen(std::function<void(shard_id)> wake) override;

 private:
  read_result read_one(const read_request& what);
};

errc memory_store::call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) {
  const std::lock_guard locked(data_->lock);
  data_->book.call_roll(node, live_for, out);
  return errc{};
}

errc memory_store::take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) {
  const std::lock_guard locked(data_->lock);
  for (std::size_t i = 0; i < what.size(); ++i) {
    results[i] = data_->book.offer(node, what[i].shard);
    if (results[i].status == take_status::taken)
      data_->book.begin(node, {what[i].shard, results[i].fence}, what[i].lease);
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
  if (what.limit != 0)
    book.advance(what.term.shard, shard.read(book.level(what.term.shard), {.due = what.upto}, what, out.due));
  book.read_announced(what.term.shard, out, [&](const std::string& key) {
    const memory_shard::entry* now = shard.find(key);
    return now == nullptr ? std::nullopt : std::optional(std::pair(now->place(), now->what));
  });
  return out;
}

errc memory_store::read_on(std::span<const read_request> what, std::span<read_result> results) {
  const std::lock_guard locked(data_->lock);
  std::ranges::transform(what, results.begin(), [&](const read_request& one) { return read_one(one); });
  return errc{};
}

errc memory_store::apply(std::span<const change> what, std::span<change_status> results) {
  const std::lock_guard locked(data_->lock);
  std::ranges::transform(what, results.begin(),
                         [&](const change& one) { return std::visit(memory_changes(*data_), one); });
  return errc{};
}

errc memory_store::read_answers(std::span<const question_ref> what, std::span<answer> results) {
  const std::lock_guard locked(data_->lock);
  std::ranges::transform(what, results.begin(), [&](const question_ref& one) { return data_->book.answer_of(one); });
  return errc{};
}

errc memory_store::purge(const list_request& which, purge_page& out) {
  const std::lock_guard locked(data_->lock);
  out = data_->shards[which.shard].purge(which);
  return errc{};
}

errc memory_store::look_at_deaths(std::size_t nth, std::span<stored_time> shards) {
  const std::lock_guard locked(data_->lock);
  for (std::size_t shard = 0; shard != shards.size(); ++shard) shards[shard] = data_->shards[shard].nth_death(nth);
  return errc{};
}

void memory_store::listen(std::function<void(shard_id)> wake) {
  const std::lock_guard locked(data_->lock);
  data_->listeners.erase(this);
  if (wake) data_->listeners.emplace(this, std::move(wake));
}

}  // namespace
}  // namespace detail

memory::memory(shard_id shards, const virtual_time& by) {
  if (shards < 1 || shards > 1024)
    throw error(detent::errc::invalid_option,
                "durable::memory: shards = " + std::to_string(shards) + ": must be 1 to 1024");
  data_ = std::make_shared<detail::memory_data>(shards, detail::clocks(by));
}

std::shared_ptr<store> memory::connect() { return std::make_shared<detail::memory_store>(data_); }

}  // namespace detent::durable
