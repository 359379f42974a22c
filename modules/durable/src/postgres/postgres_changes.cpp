// SPDX-License-Identifier: MIT
// The store in PostgreSQL: changes of timers.
#include "../stores/text.hpp"
#include "postgres_store.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

namespace detent::durable::postgres {
namespace {

// The columns of a batch, as detent.apply() takes them.
class batch {
 public:
  void add(const change& what) {
    const shard_id of = detail::shard_in(what);
    const std::string& key = detail::key_in(what);
    const key_parts parts = parts_of(key);
    kinds_.add(static_cast<std::int16_t>(what.index()));
    shards_.add(of);
    partitions_.add(parts.partition);
    keys_.add(parts.key);
    touched_.insert(of);
    if (!in_piece_.emplace(of, key).second) {
      cuts_.add(static_cast<std::int32_t>(kinds_.size() - 1));
      in_piece_ = {{of, key}};
    }
    std::visit([this](const auto& its) { add_rest(its); }, what);
  }

  // Valid as long as this object lives.
  parameters with(std::int64_t store, std::int64_t turn, bool apart) {
    cuts_.add(static_cast<std::int32_t>(kinds_.size()));
    for (const shard_id of : touched_) all_shards_.add(of);
    parameters out;
    out.add(store);
    out.add(turn);
    out.add(apart);
    for (array* const its :
         {&all_shards_, &cuts_, &kinds_, &hows_, &shards_, &partitions_, &keys_, &ids_, &dues_, &attempts_, &by_rules_,
          &handlers_, &schedules_, &payloads_, &fences_, &rans_, &whys_, &questions_, &replies_})
      out.add(*its);
    return out;
  }

 private:
  void add_rest(const put_request& what) {
    const record& its = what.what;
    hows_.add(static_cast<std::int16_t>(what.mode));
    ids_.add(its.id);
    dues_.add(its.due);
    attempts_.add(its.attempt);
    by_rules_.add(its.by_rule);
    handlers_.add(std::string_view(its.handler));
    schedules_.add(std::string_view(its.schedule));
    payloads_.add(std::span<const std::byte>(its.payload));
    add_end({}, {}, {}, 0, answer::none);
  }
  void add_rest(const cancel_request& what) {
    add_nothing();
    add_end({}, {}, {}, what.question, answer::none);
  }
  void add_rest(const end_request& what) {
    hows_.add(static_cast<std::int16_t>(what.how));
    ids_.add(what.id);
    dues_.add(what.due);
    attempts_.add(what.attempt);
    by_rules_.add(what.by_rule);
    handlers_.add_null();
    schedules_.add_null();
    if (what.payload)
      payloads_.add(std::span<const std::byte>(*what.payload));
    else
      payloads_.add_null();
    add_end(what.term.fence, what.ran, as_text(what.why), what.question, what.reply);
  }
  void add_nothing() {
    hows_.add(std::int16_t{0});
    ids_.add(std::int64_t{0});
    dues_.add_null();
    attempts_.add(std::int32_t{1});
    by_rules_.add(false);
    handlers_.add_null();
    schedules_.add_null();
    payloads_.add_null();
  }
  void add_end(std::uint64_t fence, stored_time ran, const std::string& why, std::uint64_t question, answer reply) {
    fences_.add(fence);
    rans_.add(ran);
    whys_.add(std::string_view(why));
    questions_.add(question);
    replies_.add(static_cast<std::int16_t>(reply));
  }

  array all_shards_{type::int2}, cuts_{type::int4}, kinds_{type::int2}, hows_{type::int2}, shards_{type::int2},
      partitions_{type::text}, keys_{type::text}, ids_{type::int8}, dues_{type::time}, attempts_{type::int4},
      by_rules_{type::boolean}, handlers_{type::text}, schedules_{type::bytes}, payloads_{type::bytes},
      fences_{type::int8}, rans_{type::time}, whys_{type::text}, questions_{type::int8}, replies_{type::int2};
  std::set<shard_id> touched_;
  std::set<std::pair<shard_id, std::string_view>> in_piece_;
};

constexpr std::size_t most_bytes = 512 << 10;  // of payloads in a piece

// Returns whether the server can hold the change's names.
bool is_text_alone(const change& what) {
  const auto* const put = std::get_if<put_request>(&what);
  const key_parts its = parts_of(detail::key_in(what));
  return detail::is_text(its.key) && detail::is_text(its.partition) &&
         (put == nullptr || detail::is_text(put->what.handler));
}

}  // namespace

// Finds out whether the last batch of changes was carried out if its answer was lost. The session that has sent it is
// over.
trouble postgres_store::resolve_doubt() {
  if (!remembered_.doubted) return {};
  parameters with;
  with.add(own_number_);
  rows found;
  if (trouble failed = to_.run({statement::last_turn, &with}, found)) return failed;
  if (found.count() == 1 && found.number(0, 0) == remembered_.doubted->turn) remembered_.resolve(found.numbers(0, 1));
  remembered_.doubted.reset();
  return {};
}

trouble postgres_store::carry_out(std::span<const change> what, std::span<const std::size_t> which, bool apart,
                                  std::span<change_status> results) {
  batch all;
  for (const std::size_t at : which) all.add(what[at]);
  const parameters with = all.with(own_number_, ++last_turn_, apart);
  rows found;
  trouble failed = to_.run({statement::apply, &with}, found);
  if (failed.kind == refusal::lost) {
    remembered_.doubted.emplace(remembered::doubt{last_turn_, {}});
    for (const std::size_t at : which) remembered_.doubted->batch.push_back(detail::name_of(what[at]));
  }
  if (failed) return failed;
  const std::vector<std::int16_t> statuses = found.numbers(0, 0);
  if (statuses.size() != which.size()) return {refusal::unexpected, "detent.apply() has lost an answer"};
  for (std::size_t i = 0; i != which.size(); ++i) {
    results[which[i]] = static_cast<change_status>(statuses[i]);
    if (apart) busy_.note(what[which[i]], results[which[i]] == change_status::busy);
  }
  return {};
}

// Each piece may take as long as one call's patience. A piece that took longer would be sent again for ever, so the
// next ones are smaller.
trouble postgres_store::carry_out_in_pieces(std::span<const change> what, const places& which, bool apart,
                                            std::span<change_status> results, places& done) {
  for (std::size_t from = 0; from != which.size();) {
    std::size_t count = 0, bytes = 0;
    while (from + count != which.size() && count != piece_ && bytes < most_bytes)
      bytes += detail::bytes_in(what[which[from + count++]]);
    const auto piece = std::span(which).subspan(from, count);
    trouble failed = carry_out(what, piece, apart, results);
    if (failed.kind == refusal::locked) failed = carry_out(what, piece, true, results);
    if (failed.kind == refusal::lost) piece_ = std::max<std::size_t>(count / 2, 1);
    if (failed) return failed;
    piece_ = std::min(2 * piece_, largest_piece);
    done.insert(done.end(), piece.begin(), piece.end());
    from += count;
  }
  return {};
}

errc postgres_store::apply(std::span<const change> what, std::span<change_status> results) {
  if (read_only_) return errc::not_permitted;
  if (what.empty()) return errc{};
  if (!std::ranges::all_of(what, is_text_alone)) return errc::unsupported;
  if (const trouble failed = resolve_doubt()) return code_of(failed.kind);
  places together, apart, done;
  for (std::size_t i = 0; i != what.size(); ++i) {
    const auto known = remembered_.take(what[i]);
    if (known) results[i] = *known;
    (known ? done : busy_.contains(what[i]) ? apart : together).push_back(i);
  }
  // The changes of a shard stay in their order, and neighbours in the indexes are written together.
  std::ranges::stable_sort(together, {}, [&](std::size_t at) { return detail::shard_in(what[at]); });
  trouble failed = carry_out_in_pieces(what, together, false, results, done);
  if (!failed) failed = carry_out_in_pieces(what, apart, true, results, done);
  if (!failed) return errc{};
  // The caller sends the whole batch again, and must then get the results that are known by now.
  for (const std::size_t at : done) remembered_.keep(what[at], results[at]);
  return code_of(failed.kind);
}

}  // namespace detent::durable::postgres
