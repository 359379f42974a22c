// SPDX-License-Identifier: MIT
// The store on Redis: changes of timers, and the replicas that have them.
#include "batch.hpp"
#include "change_words.hpp"
#include "redis_store.hpp"

#include <algorithm>
#include <set>

namespace detent::durable::redis {

namespace {

constexpr std::size_t most_bytes_in_a_call = 1 << 20;
constexpr std::size_t bytes_of_words = 64;            // of a change, besides its payload, or about so
constexpr std::chrono::milliseconds soon_heard{1};    // ends do not wait for a replica that is away
constexpr std::chrono::milliseconds heard_within{5};  // otherwise the next look at the answers waits again

const end_request* end_in(const change& what) noexcept { return std::get_if<end_request>(&what); }

// All ends in a call belong to one term.
bool join(portion& its, const change& what) {
  const std::size_t bytes = its.bytes + bytes_of_words + detail::bytes_in(what);
  const end_request* const end = end_in(what);
  if (!its.places.empty() && bytes > most_bytes_in_a_call) return false;
  if (end != nullptr && its.fence != 0 && its.fence != end->term.fence) return false;
  its.bytes = bytes;
  if (end != nullptr) its.fence = end->term.fence;
  return true;
}

// Moves the reply out of the end into a change of its own.
end_request reply_apart(end_request& end) {
  end_request out;
  out.term = end.term;
  out.key = end.key;
  out.how = end_kind::leave;
  out.question = std::exchange(end.question, 0);
  out.reply = end.reply;
  return out;
}

// Returns whether the server carried out nothing, because another turn was its last one.
bool is_out_of_turn(const call& done) noexcept {
  return done.answer != nullptr && done.answer->type == REDIS_REPLY_ARRAY;
}

// The keys, by shard, of the changes that were not carried out. Later puts and cancels of the shard wait for those.
// Ends continue, because they make room in a full server, unless a request for the same key waits.
class refused_keys {
 public:
  // Returns whether it has added any.
  bool add(std::span<const change> what, const portion& its, std::span<const change_status> results) {
    const std::size_t had = keys_.size();
    for (const std::size_t place : its.places)
      if (results[place] == change_status::unanswered) keys_.emplace(its.shard, detail::key_in(what[place]));
    return keys_.size() != had;
  }
  void drop_from(portion& its, std::span<const change> what) const {
    const auto first = keys_.lower_bound({its.shard, {}});
    if (first == keys_.end() || first->first != its.shard) return;
    std::erase_if(its.places, [&](std::size_t place) {
      return end_in(what[place]) == nullptr || keys_.contains({its.shard, detail::key_in(what[place])});
    });
  }

 private:
  std::set<std::pair<shard_id, std::string_view>> keys_;
};

}  // namespace

std::string redis_store::key_of_shard(shard_id shard, std::string_view name) const {
  const std::string& own = keys_[shard].front();
  return own.substr(0, own.size() - 3).append(name);
}

std::string redis_store::answer_key(shard_id shard, std::uint64_t question) const {
  return key_of_shard(shard, "answer:" + std::to_string(question));
}

// Adds the keys of the changes' answers and of the turns to the shard's keys.
call redis_store::call_of(std::span<const change> what, const portion& its, keys& own_keys, arena& in) const {
  change_words words(in);
  own_keys = keys_[its.shard];
  const remembered& before = remembered_[its.shard];
  for (const std::size_t place : its.places) {
    if (before.status_of(what[place]) != change_status::unanswered) {
      words.add_nothing();
      continue;
    }
    const end_request* const end = end_in(what[place]);
    const auto* const cancel = std::get_if<cancel_request>(&what[place]);
    const std::uint64_t question = end != nullptr ? end->question : cancel != nullptr ? cancel->question : 0;
    if (question != 0 || cancel != nullptr) own_keys.push_back(answer_key(its.shard, question));
    std::visit([&](const auto& one) { words.add(one); }, what[place]);
  }
  own_keys.push_back(key_of_shard(its.shard, "turn:" + own_name_));
  const term& mine = of({its.shard, its.fence});
  return {script::apply, own_keys, words.words(its.shard, mine.node, its.fence, before.last(), its.turn)};
}

errc redis_store::apply(std::span<const change> what, std::span<change_status> results) {
  std::ranges::fill(results, change_status::unanswered);
  auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(to_.patience() / 2);
  refused_keys refused;
  outcome_of_calls all;
  std::vector<portion> settled;
  const auto shard_at = [&](std::size_t place) { return detail::shard_in(what[place]); };
  const auto joins = [&](portion& its, std::size_t place) { return join(its, what[place]); };
  for (std::vector<portion>& round : rounds_of(what.size(), shards(), shard_at, joins)) {
    for (portion& its : round) refused.drop_from(its, what);
    std::erase_if(round, [](const portion& its) { return its.places.empty(); });
    arena in;
    std::vector<keys> own_keys(round.size());
    std::vector<call> calls;
    for (std::size_t i = 0; i != round.size(); ++i) {
      round[i].turn = ++last_turn_;
      calls.push_back(call_of(what, round[i], own_keys[i], in));
    }
    if (!may_run(calls)) return errc::not_permitted;
    to_.run(calls);
    for (std::size_t i = 0; i != round.size(); ++i) {
      if (!is_out_of_turn(calls[i])) continue;
      const redisReply& last = *calls[i].answer;
      remembered_[round[i].shard].correct(number_in(element(last, 0)).value_or(0), text_of(element(last, 1)));
      calls[i] = call_of(what, round[i], own_keys[i], in);
      to_.run(calls[i]);
    }
    if (replicas_ != 0) {
      const bool has_others = std::ranges::any_of(round, [&](const portion& its) {
        return std::ranges::any_of(its.places, [&](std::size_t place) { return end_in(what[place]) == nullptr; });
      });
      if (!to_.wait_for_replicas(calls, replicas_, has_others ? limit : soon_heard)) limit = soon_heard;
    }
    for (std::size_t i = 0; i != round.size(); ++i) {
      all.add(calls[i].failed);
      const bool is_answered = calls[i].answer != nullptr;
      settle(what, round[i], calls[i], results);
      const bool is_full = is_answered && text_of(*calls[i].answer).find('u') != std::string_view::npos;
      const bool lacks_some = refused.add(what, round[i], results);
      if (is_full || (is_answered && lacks_some && !to_.is_cluster())) all.spoil(errc::unavailable);
      settled.push_back(std::move(round[i]));
    }
  }
  if (all.code() == errc{}) return errc{};
  // The whole batch will be sent again.
  for (const portion& its : settled)
    for (std::size_t i = 0; i != its.places.size(); ++i)
      if (const std::size_t place = its.places[i]; results[place] != change_status::unanswered)
        remembered_[its.shard].keep(what[place], {results[place], its.turn, i});
  return all.code();
}

// Reads the results. Puts and cancels that replicas may not have stay unanswered, so they will be sent again.
void redis_store::settle(std::span<const change> what, const portion& its, const call& done,
                         std::span<change_status> results) {
  remembered& before = remembered_[its.shard];
  if (is_out_of_turn(done)) return;
  if (done.answer == nullptr) {
    for (std::size_t i = 0; done.was_sent && i != its.places.size(); ++i)
      before.keep_unless_known(what[its.places[i]], {change_status::unanswered, its.turn, i});
    return;
  }
  const bool is_safe = replicas_ == 0 || done.is_heard;
  if (replicas_ != 0 && is_safe) unheard_.heard(done.process);
  const std::string_view letters = text_of(*done.answer);
  before.carried_out(its.turn);
  for (std::size_t i = 0; i != its.places.size() && i != letters.size(); ++i) {
    const change& one = what[its.places[i]];
    change_status& result = results[its.places[i]];
    const bool is_end = end_in(one) != nullptr;
    const change_status known = before.status_of(one);
    result = known != change_status::unanswered ? known : status_of(letters[i]);
    if (is_safe) {
      before.forget(one);
    } else if (is_end) {
      unheard_.keep(*end_in(one), done.process);
    } else {
      if (known != result) before.keep(one, {result, its.turn, i});
      result = change_status::unanswered;
    }
  }
}

// Sends ends again under their new terms. The lost process had heard of them, but the process that gave the new terms
// may not have.
errc redis_store::end_again(std::span<const std::pair<term_ref, std::string>> taken) {
  std::vector<change> again;
  std::vector<std::size_t> first_of_next;
  for (const auto& [now, process] : taken) {
    unheard_.add_to(again, now, process);
    first_of_next.push_back(again.size());
  }
  std::vector<change> replies;
  replies.reserve(again.size());
  for (change& one : again) replies.emplace_back(reply_apart(std::get<end_request>(one)));
  std::vector<change_status> results(again.size());
  errc code = again.empty() ? errc{} : apply(again, results);
  // If an end matches no timer, the new master may know neither the timer nor the question. Both will be sent again,
  // and the reply must not be there before them.
  std::size_t kept = 0;
  for (std::size_t i = 0; i != again.size(); ++i)
    if (std::get<end_request>(replies[i]).question != 0 && results[i] == change_status::ended)
      std::swap(replies[kept++], replies[i]);
  replies.resize(kept);
  std::vector<change_status> of_replies(kept);
  if (kept != 0 && code == errc{}) code = apply(replies, of_replies);
  // Ends without an answer are kept for the next term.
  auto from = results.cbegin();
  for (std::size_t i = 0; i != taken.size(); ++i) {
    const auto to = results.cbegin() + static_cast<std::ptrdiff_t>(first_of_next[i]);
    const auto is_over = [](change_status one) { return one == change_status::ended || one == change_status::gone; };
    if (std::all_of(from, to, is_over)) unheard_.drop(taken[i].first, taken[i].second);
    from = to;
  }
  return code;
}

errc redis_store::read_answers(std::span<const question_ref> what, std::span<answer> results) {
  const auto shard_at = [&](std::size_t place) { return what[place].shard; };
  for (const std::vector<portion>& round :
       rounds_of(what.size(), shards(), shard_at, [](portion&, std::size_t) { return true; })) {
    std::vector<keys> own_keys;
    std::vector<call> calls;
    own_keys.reserve(round.size());
    for (const portion& its : round) {
      keys& asked = own_keys.emplace_back();
      for (const std::size_t place : its.places) asked.push_back(answer_key(its.shard, what[place].question));
      calls.push_back({script::answers, asked, {}});
    }
    if (const errc code = run_apart(calls); code != errc{}) return code;
    bool any = false;
    for (std::size_t i = 0; i != round.size(); ++i) {
      for (std::size_t n = 0; n != round[i].places.size(); ++n) {
        const redisReply* const its = calls[i].answer == nullptr ? nullptr : &element(*calls[i].answer, n);
        const bool has_it = its != nullptr && its->type == REDIS_REPLY_STRING && its->len == 1 && its->str[0] >= '0' &&
                            its->str[0] <= '3';
        results[round[i].places[n]] = has_it ? static_cast<answer>(its->str[0] - '0') : answer::none;
        any = any || has_it;
      }
    }
    if (any && replicas_ != 0) drop_unheard(round, calls, results);
  }
  return errc{};
}

// An answer counts once replicas have the end that was written with it. A replica without that end would run the timer
// if it were promoted.
void redis_store::drop_unheard(const std::vector<portion>& round, std::span<const call> answered,
                               std::span<answer> results) {
  arena in;
  std::vector<call> calls;
  for (const portion& its : round) {
    change_words nothing(in);
    nothing.add_nothing();  // a write, so that WAIT has something to count
    calls.push_back({script::apply, keys_[its.shard], nothing.words(its.shard, {}, 0)});
  }
  if (may_run(calls)) {
    to_.run(calls);
    to_.wait_for_replicas(calls, replicas_, heard_within);
  }
  for (std::size_t i = 0; i != round.size(); ++i) {
    if (calls[i].is_heard && calls[i].process == answered[i].process) continue;
    for (const std::size_t place : round[i].places) results[place] = answer::none;
  }
}

}  // namespace detent::durable::redis
