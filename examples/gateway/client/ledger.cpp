// SPDX-License-Identifier: MIT
#include "ledger.hpp"

namespace load {

using wire::execution;
using wire::tag;

namespace {

execution what(const wire::message& report) { return static_cast<execution>(report.letter(tag::execution)); }

order_number number_of(const wire::message& report) {
  return static_cast<order_number>(report.number(tag::order_id).value_or(0));
}

wire::time_point time_in(const wire::message& report, tag of) { return wire::from_wire(report.number(of).value_or(0)); }

}  // namespace

session_number ledger::open_session() {
  sessions_.emplace_back();
  return static_cast<session_number>(sessions_.size() - 1);
}

order_number ledger::send(session_number by, std::optional<wire::time_point> expires) {
  orders_.push_back({expires, by});
  ++unanswered_, ++sessions_[by].unanswered;
  ++unreported_, ++sessions_[by].unreported;
  return orders_.size();
}

void ledger::copied(const wire::message& report) {
  order* const of = find(report);
  if (of == nullptr) return;
  if (of->copied == nothing) count_answer(sessions_[of->by]);
  if (of->copied == resting && what(report) != execution::replaced) --resting_;
  advance(*of, of->copied, report, "the drop copy");

  const auto at = time_in(report, tag::transact_time);
  switch (what(report)) {
    case execution::accepted: ++totals_.accepted, ++resting_; return;
    case execution::rejected: ++totals_.rejected; return;
    case execution::expired: return expired(*of, report);
    case execution::cancelled: return cancelled(*of, report);
    case execution::replaced:
      ++totals_.replaced;
      if (at >= of->expires) found_.broken("order {} was replaced after its expiry", number_of(report));
      of->expires = time_in(report, tag::expire_time);
      return;
    case execution::traded:
      if (!of->expires) return;  // the taker
      ++totals_.traded;
      if (at >= of->expires) found_.broken("order {} traded after its expiry", number_of(report));
  }
}

// The moments are the gateway's, which has the same clock. So early is early, were it by a nanosecond.
void ledger::expired(const order& of, const wire::message& report) {
  const order_number id = number_of(report);
  const auto due = time_in(report, tag::expire_time), fired = time_in(report, tag::transact_time);
  if (due != of.expires) found_.broken("order {} expired for another time than its own", id);
  if (fired < due) found_.broken("order {} expired {} ns early", id, (due - fired).count());
  if (due < last_expiry_) found_.broken("order {} expired after one that was due later", id);
  if (report.number(tag::expiry_number) != static_cast<std::int64_t>(++totals_.expired))
    found_.broken("expiry {} is reported as number {}", totals_.expired, report.number(tag::expiry_number).value_or(0));
  if (sessions_[of.by].cancelled) found_.broken("order {} outlived its session", id);
  last_expiry_ = due;
  measured_.expiry(due, fired);
}

void ledger::cancelled(const order& of, const wire::message& report) {
  ++totals_.cancelled;
  const auto at = time_in(report, tag::transact_time);
  if (report.text(tag::text) == "as asked") {
    if (at >= of.expires) found_.broken("order {} was cancelled after its expiry", number_of(report));
    return;
  }
  ++totals_.cancelled_on_disconnect;
  session& owner = sessions_[of.by];
  if (owner.broken && at < *owner.broken)
    found_.broken("order {} was cancelled before its session broke", number_of(report));
  if (owner.broken && !owner.cancelled) measured_.cancelled.add(at - *owner.broken);
  owner.cancelled = at;
}

void ledger::reported(const wire::message& report, wire::time_point arrived) {
  order* const of = find(report);
  if (of == nullptr) return;
  const bool right = advance(*of, of->reported, report, "its session");
  if (right && of->reported != resting) --unreported_, --sessions_[of->by].unreported;
  if (what(report) != execution::expired) return;
  const auto due = time_in(report, tag::expire_time);
  if (arrived < due) found_.broken("order {} was reported as expired before it was", number_of(report));
  measured_.expiry_news(due, arrived);
}

void ledger::lost(session_number gone, std::optional<wire::time_point> broken) {
  session& of = sessions_[gone];
  of.lost = true;
  of.broken = broken;
  unanswered_ -= of.unanswered;  // the gateway may never have got them
  unreported_ -= of.unreported;
}

void ledger::close() {
  for (order_number id = 1; id <= orders_.size(); ++id) {
    const order& each = orders_[id - 1];
    const bool may_be_unknown = sessions_[each.by].lost;
    if (each.copied == resting) found_.broken("order {} rests for ever", id);
    if (each.copied == nothing && !may_be_unknown) found_.broken("order {} was never answered", id);
    if (each.copied != each.reported && !may_be_unknown) found_.broken("order {}: its session got another report", id);
  }
}

ledger::order* ledger::find(const wire::message& report) {
  const order_number id = number_of(report);
  if (id != 0 && id <= orders_.size()) return &orders_[id - 1];
  found_.broken("a report names order {}, which was never sent", id);
  return nullptr;
}

// nothing -> resting -> one end; a market order and a rejected one end at once.
bool ledger::advance(const order& of, state& known, const wire::message& report, std::string_view witness) {
  const execution next = what(report);
  bool right = false;
  switch (next) {
    case execution::accepted: right = known == nothing && of.expires; break;
    case execution::rejected: right = known == nothing; break;
    case execution::traded: right = known == (of.expires ? resting : nothing); break;
    case execution::replaced: right = known == resting; break;
    case execution::cancelled:
    case execution::expired: right = known == resting; break;
  }
  if (!right)
    found_.broken("order {}: {} reports '{}' after '{}'", number_of(report), witness, report.letter(tag::execution),
                  known == nothing ? '-' : known);
  if (next != execution::replaced) known = static_cast<state>(next);
  return right;
}

void ledger::count_answer(session& of) {
  if (of.lost) return;
  --of.unanswered;
  --unanswered_;
}

}  // namespace load
