// SPDX-License-Identifier: MIT
#include "order_book.hpp"

#include <algorithm>

namespace gateway {

using wire::execution;
using wire::tag;

order_book::order_book(detent::engine& engine) : engine_(engine), label_(engine.make_label("expiry")) {}

void order_book::rest(trader& owner, std::uint64_t id, side which, detent::time_point expires) {
  auto made = std::make_unique<order>(order{owner, id, which, ++arrivals_, expires, {}});
  order& resting_order = *made;
  resting_order.expiry = owner.timers.schedule_at(
      expires, [this, &resting_order](detent::firing& run) { expire(resting_order, run.started()); },
      {.label = label_});
  resting(which).emplace(resting_order.arrival, &resting_order);
  owner.orders.emplace(id, std::move(made));
  ++counts_.accepted;
  send_report({owner, id, execution::accepted, engine_.now(), expires});
}

void order_book::expire(order& due, detent::time_point now) {
  ++counts_.expired;
  send_report({due.owner, due.id, execution::expired, now, due.expires, counts_.expired});
  remove(due);
}

void order_book::take(trader& owner, std::uint64_t id, side which) {
  const detent::time_point now = engine_.now();
  for (const auto& [arrival, offered] : resting(which == side::buy ? side::sell : side::buy)) {
    // Its time may be up although its timer has not fired yet: in this very turn, after the sockets.
    if (offered->expires <= now || offered->expiry.cancel() != detent::cancel_result::cancelled) continue;
    ++counts_.traded;
    send_report({offered->owner, offered->id, execution::traded, now, offered->expires});
    send_report({owner, id, execution::traded, now});
    return remove(*offered);
  }
  reject(owner, id, "nobody to trade with");
}

void order_book::reject(trader& owner, std::uint64_t id, std::string_view why) {
  send_report({.owner = owner, .id = id, .what = execution::rejected, .at = engine_.now(), .text = why});
}

bool order_book::cancel(trader& owner, std::uint64_t id) {
  const detent::time_point now = engine_.now();
  order* const found = find(owner, id, now);
  if (found == nullptr || found->expiry.cancel() != detent::cancel_result::cancelled) return false;
  ++counts_.cancelled;
  send_report({.owner = owner, .id = id, .what = execution::cancelled, .at = now, .text = "as asked"});
  remove(*found);
  return true;
}

bool order_book::replace(trader& owner, std::uint64_t id, detent::time_point expires) {
  const detent::time_point now = engine_.now();
  order* const found = find(owner, id, now);
  if (found == nullptr || expires <= now || !found->expiry.restart_at(expires)) return false;
  found->expires = expires;
  send_report({owner, id, execution::replaced, now, expires});
  return true;
}

void order_book::cancel_all(trader& owner, std::string_view why) {
  const detent::time_point now = engine_.now();
  while (!owner.orders.empty()) {
    order& each = *owner.orders.begin()->second;
    ++counts_.cancelled;
    send_report({.owner = owner, .id = each.id, .what = execution::cancelled, .at = now, .text = why});
    remove(each);
  }
}

order* order_book::find(trader& owner, std::uint64_t id, detent::time_point now) {
  const auto found = owner.orders.find(id);
  return found != owner.orders.end() && found->second->expires > now ? found->second.get() : nullptr;
}

void order_book::remove(order& ended) {
  resting(ended.which).erase(ended.arrival);
  ended.owner.orders.erase(ended.id);
}

void order_book::send_report(const report& news) {
  text_.clear();
  {
    wire::message_text line(text_, wire::message_type::report);
    line.with(tag::sender, news.owner.name).with(tag::order_id, news.id).with(tag::execution, news.what);
    line.with(tag::transact_time, news.at);
    if (news.expires != detent::time_point{}) line.with(tag::expire_time, news.expires);
    if (news.expiry_number != 0) line.with(tag::expiry_number, news.expiry_number);
    if (!news.text.empty()) line.with(tag::text, news.text);
  }
  if (!news.owner.line.ended()) news.owner.line.write_raw(text_);
  for (trader* reader : drop_copies_) reader->line.write_raw(text_);
}

}  // namespace gateway
