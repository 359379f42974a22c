// SPDX-License-Identifier: MIT
// The writer: what has come of each change, and what waits for too long. In writer.cpp: what is written, and when.
#include "../stores/attempts.hpp"
#include "writer.hpp"

#include <iterator>
#include <string>
#include <unordered_set>
#include <utility>

namespace detent::durable::detail {
namespace {

put_result result_of(change_status status) noexcept {
  using as = put_result::kind;
  switch (status) {
    case change_status::stored:
    case change_status::moved: return {as::stored};
    case change_status::kept: return {as::kept};
    case change_status::replaced: return {as::replaced};
    case change_status::exists: return {as::exists, errc::exists};
    default: return {as::failed, errc::gone};
  }
}

}  // namespace

void writer::settle(entry& one, change_status status) {
  leave(one);
  std::visit([&](const auto& what) { settle(what, one, status); }, one.what);
}

void writer::settle(const put_request& what, const entry& one, change_status status) {
  ++with_.counted.now.stored;
  const put_result result = result_of(status);
  if (const auto& done = std::get<putting_caller>(one.by))
    with_.problems.call(done, result);
  else if (result)
    with_.problems.report(result.error(),
                          "\"" + std::string(parts_of(what.what.key).key) + "\": " + result.error().message());
}

void writer::settle(const cancel_request& what, entry& one, change_status status) {
  ++with_.counted.now.stored;
  auto& caller = std::get<asking_caller>(one.by);
  const bool withdrawn = status == change_status::withdrawn;
  if (withdrawn || status == change_status::asked)
    of_.asked.add({what.shard, what.question}, std::move(caller), withdrawn);
  else
    with_.problems.call(caller.done,
                        status == change_status::cancelled ? cancel_result::cancelled : cancel_result::gone);
}

void writer::refused(entry& one) {
  ++with_.counted.now.fenced;
  if (const auto* its = std::get_if<marked>(&one.by)) return settle(*its, false);
  const auto* run_of = std::get_if<std::shared_ptr<run>>(&one.by);
  if (run_of == nullptr || !*run_of) return;
  of_.held.over(**run_of);
  // If a newer term of ours stands, that term runs the timer already.
  const term_ref& its = std::get<end_request>(one.what).term;
  const auto& now = with_.terms.of(its.shard).term;
  one.stays_with_former = false;
  if (!now || now->which().fence == its.fence)
    shards_[its.shard].late.push_back(std::move(one));
  else
    release({&one, 1}, {});
}

void writer::settle(const marked& what, bool stored) {
  of_.careful.settled(what, stored);
  if (what.stays || (what.starts && !stored)) of_.held.over(*what.what);
}

void writer::forget(shard_id shard) {
  release(shards_[shard].late, {});
  shards_[shard].late.clear();
}

// The journal need not keep these ends, because the store has them or another term has their timers. Called before the
// timers are armed again.
void writer::release(std::span<const entry> batch, std::span<const change_status> results) {
  if (of_.listed == nullptr) return;
  std::vector<run_journal::place> places;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto* of = std::get_if<std::shared_ptr<run>>(&batch[i].by);
    const bool waits = !results.empty() && results[i] != change_status::ended && results[i] != change_status::gone;
    if (of != nullptr && *of && (*of)->listed_at() && !waits) places.push_back(*(*of)->listed_at());
  }
  if (!places.empty()) of_.listed->release(places);
}

void writer::settle(const end_request& what, entry& one, change_status status) {
  if (std::exchange(one.is_owed, false)) --shards_[what.term.shard].owed;
  if (status == change_status::fenced) return refused(one);
  if (const auto* moved = std::get_if<record>(&one.by)) {
    if (status == change_status::ended) arm_moved(*moved, what);
    return;
  }
  if (const auto* its = std::get_if<marked>(&one.by)) return settle(*its, status == change_status::ended);
  const auto& of = std::get<std::shared_ptr<run>>(one.by);
  if (!of) return;
  metrics& counted = with_.counted.now;
  const record& ran = of->what();
  of_.held.over(*of);
  if (status != change_status::ended) return;
  if (what.how == end_kind::kill) {
    ++counted.dead;
    const key_parts its = parts_of(ran.key);
    const std::uint32_t tried = attempts::of(ran.attempt).next() - (of->has_begun() ? 0 : 1);
    with_.problems.call(with_.how.on_dead, dead_timer{its.key, its.partition, ran.handler, ran.due, tried, what.why});
  } else if (what.how == end_kind::move) {
    if (!what.why.empty() || attempts::of(what.attempt).number > 1) ++counted.retries;
    arm_moved(ran, what);
  }
}

// The store does not announce our own moves below its read level, so a timer that is near is armed here.
void writer::arm_moved(const record& ran, const end_request& end) {
  const tenures::tenure& its = with_.terms.of(ran.shard);
  if (!its.term || its.leaving || its.term->which().fence != end.term.fence) return;
  if (!its.has_read(end.due)) return of_.held.moves_away(ran, end.due, its.term);
  record next = ran;
  next.due = end.due;
  next.attempt = end.attempt;
  next.by_rule = end.by_rule;
  if (end.payload) next.payload = *end.payload;
  of_.held.moves_near(std::move(next), its.term);
  of_.held.arm_taken();
}

bool writer::has_lapsed(const entry& one) const {
  const auto* end = std::get_if<end_request>(&one.what);
  if (end == nullptr) return false;
  const auto& term = with_.terms.of(end->term.shard).term;
  return !term || term->which().fence != end->term.fence || !term->stands();
}

// Called while the store does not answer or puts changes off: ends that it would refuse must not hold up the others.
void writer::settle_lapsed(queue& in) {
  std::erase_if(in, [&](entry& one) {
    if (!has_lapsed(one)) return false;
    if (&in == &rest_) unname(one);
    settle(one, change_status::fenced);
    return true;
  });
}

void writer::settle_put_off(const std::function<bool(const entry&)>& is_over) {
  put_off_.erase_if(is_over, [&](entry& one) { settle(one, change_status::fenced); });
}

void writer::leave_held() {
  settle_put_off([&](const entry& one) {
    return one.is_end() && one.waits_for == put_off_by::transaction && with_.terms.of(one.shard()).leaving;
  });
}

// A store without room refuses what handlers have put under their own keys, and refuses with it the ends of all other
// runs, which would make room. So the ends of such handlers are written with the operations. If reading fails as well,
// the store is away, and nothing changes.
void writer::set_puts_aside() {
  if (with_.problems.fails(trouble::of::reading)) return;
  queue ends;
  std::vector<entry> aside;
  std::unordered_set<std::size_t> keys;
  for (auto at = first_.begin(); at != first_.end();) {
    const auto next =
        std::find_if(std::next(at), first_.end(), [](const entry& its) { return !its.stays_with_former; });
    const bool waits = std::any_of(at, next, [&](const entry& its) {
      return std::holds_alternative<put_request>(its.what) || keys.contains(its.key());
    });
    for (; at != next; ++at) {
      if (waits) keys.insert(at->key());
      if (waits)
        aside.push_back(std::move(*at));
      else
        ends.push_back(std::move(*at));
    }
  }
  first_ = std::move(ends);
  put_back(rest_, aside);
}

std::chrono::nanoseconds writer::impatient_at() const {
  std::chrono::nanoseconds first = std::chrono::nanoseconds::max();
  for (const queue* const some : {&first_, &rest_, &put_off_.all()})
    for (const entry& one : *some)
      if (const auto* caller = std::get_if<asking_caller>(&one.by); caller != nullptr && !caller->given_up)
        first = std::min(first, caller->give_up_at);
  return first;
}

void writer::end_impatient() {
  take();  // it came while the store was busy
  const std::chrono::nanoseconds now = with_.clock.elapsed();
  for_each_waiting([&](entry& one) {
    auto* caller = std::get_if<asking_caller>(&one.by);
    if (caller == nullptr || caller->given_up || now < caller->give_up_at) return;
    caller->given_up = true;
    with_.problems.call(std::exchange(caller->done, nullptr), cancel_result::unknown);
  });
}

void writer::give_up() {
  take();
  std::size_t silent = 0;
  for_each_waiting([&](entry& one) {
    if (const auto* done = std::get_if<putting_caller>(&one.by)) {
      with_.problems.call(*done, put_result(put_result::kind::failed, errc::stopped));
      if (!*done) ++silent;
    }
    if (const auto* caller = std::get_if<asking_caller>(&one.by))
      with_.problems.call(caller->done, cancel_result::unknown);
    leave(one);
  });
  of_.from.over(std::exchange(over_, {}));
  if (silent != 0)
    with_.problems.report(errc::stopped,
                          std::to_string(silent) + " timers were scheduled or moved, and are not in the store");
  of_.asked.give_up();
}

}  // namespace detent::durable::detail
