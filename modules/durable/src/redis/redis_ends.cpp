// SPDX-License-Identifier: MIT
// The store on Redis: what becomes of runs.
#include "batch.hpp"
#include "redis_store.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace detent::durable::redis {

namespace {

constexpr std::size_t longest_reason = 256;
constexpr std::chrono::milliseconds soon_heard{1};  // ends do not wait for a replica that is away

using words = std::vector<std::string_view>;

// A reason with its length before it, as a grave has it.
std::string_view framed(std::string_view why, arena& in) {
  why = why.substr(0, longest_reason);
  char* const room = in.room(why.size() + 2);
  arena::write(room, why.size(), 2);
  std::copy(why.begin(), why.end(), room + 2);
  return {room, why.size() + 2};
}

// The words of the script for these requests.
words end_words(std::span<const end_request> what, std::span<const std::size_t> places, arena& in) {
  static constexpr std::string_view letters = "emkl";  // in the order of end_kind
  static_assert(static_cast<int>(end_kind::leave) == 3);
  static constexpr std::string_view replies = "0123";  // in the order of `answer`
  constexpr std::size_t head = 16;                     // id and due time
  char* const kinds = in.room(places.size());
  char* const heads = in.room(head * places.size());
  words keys;
  keys.reserve(places.size());
  words rest;
  words answers;
  for (std::size_t i = 0; i != places.size(); ++i) {
    const end_request& one = what[places[i]];
    kinds[i] = letters[static_cast<std::size_t>(one.how)];
    keys.emplace_back(one.key);
    arena::write(heads + head * i, one.id, 8);
    arena::write(heads + head * i + 8, static_cast<std::uint64_t>(score_of(one.ran)), 8);
    if (one.how == end_kind::move) {
      rest.push_back(in.number(score_of(one.due)));
      rest.push_back(pack_head(one.id, one.due, one.attempt, in));
    } else if (one.how == end_kind::kill) {
      rest.push_back(framed(one.why, in));
    }
    if (one.question != 0) answers.push_back(replies.substr(static_cast<std::size_t>(one.reply), 1));
  }
  keys.emplace_back(heads, head * places.size());
  words all = {{kinds, places.size()}};
  for (const words* part : {&keys, &rest, &answers}) all.insert(all.end(), part->begin(), part->end());
  return all;
}

}  // namespace

std::string redis_store::answer_key(shard_id shard, std::uint64_t question) const {
  std::string name = keys_[shard].front();  // ...:own
  name.resize(name.size() - 3);
  return name + "answer:" + std::to_string(question);
}

// Returns the keys of the shard, and of the answers among these requests in their order.
redis_store::keys redis_store::end_keys(std::span<const end_request> what, std::span<const std::size_t> places) const {
  keys all = keys_[what[places.front()].term.shard];
  for (const std::size_t place : places)
    if (what[place].question != 0) all.push_back(answer_key(what[place].term.shard, what[place].question));
  return all;
}

errc redis_store::end(std::span<const end_request> what, std::span<end_status> results) {
  const auto of_term = [&](const end_request& one) { return one.term.fence * 1024 + one.term.shard; };
  for (const std::vector<portion>& round : rounds_of(what, of_term)) {
    arena in;
    std::vector<keys> own_keys;
    std::vector<call> calls;
    own_keys.reserve(round.size());
    for (const portion& its : round) {
      const term_ref& which = what[its.places.front()].term;
      own_keys.push_back(end_keys(what, its.places));
      call& one = calls.emplace_back(call{script::end, own_keys.back(), {of(which).node, in.number(which.fence)}});
      const words rest = end_words(what, its.places, in);
      one.words.insert(one.words.end(), rest.begin(), rest.end());
    }
    const errc code = run_apart(calls);
    if (code != errc{} && code != errc::fenced) return code;
    for (std::size_t i = 0; i != round.size(); ++i) {
      if (calls[i].failed.kind == refusal::fenced) {
        for (const std::size_t place : round[i].places) results[place] = end_status::fenced;
      } else if (calls[i].answer != nullptr) {
        read_letters(*calls[i].answer, round[i], results,
                     [](char letter) { return letter == 'e' ? end_status::ended : end_status::gone; });
        if (replicas_ != 0) note(what, round[i], calls[i].process);
      } else {
        for (const std::size_t place : round[i].places) results[place] = end_status::unanswered;
      }
    }
    if (replicas_ != 0 && to_.is_heard(calls, replicas_, soon_heard))
      for (const call& one : calls) unheard_.heard(one.process);
  }
  return errc{};
}

void redis_store::note(std::span<const end_request> what, const portion& its, std::string_view process) {
  for (const std::size_t place : its.places) unheard_.keep(what[place], process);
}

// Sends ends again under their new terms: a lost process had heard them, the one that gave these terms perhaps not.
errc redis_store::end_again(std::span<const std::pair<term_ref, std::string>> taken) {
  std::vector<end_request> again;
  std::vector<std::size_t> first_of_next;
  for (const auto& [now, process] : taken) {
    unheard_.add_to(again, now, process);
    first_of_next.push_back(again.size());
  }
  std::vector<end_status> results(again.size(), end_status::unanswered);
  const errc code = again.empty() ? errc{} : end(again, results);
  // Requests without an answer are kept for the next term.
  auto from = results.cbegin();
  for (std::size_t i = 0; i != taken.size(); ++i) {
    const auto to = results.cbegin() + static_cast<std::ptrdiff_t>(first_of_next[i]);
    const auto is_over = [](end_status one) { return one == end_status::ended || one == end_status::gone; };
    if (std::all_of(from, to, is_over)) unheard_.drop(taken[i].first, taken[i].second);
    from = to;
  }
  return code;
}

}  // namespace detent::durable::redis
