// SPDX-License-Identifier: MIT
// The store on Redis: the calls about timers. In redis_ends.cpp is what becomes of runs.
#include "../stores/listing.hpp"
#include "batch.hpp"
#include "redis_store.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace detent::durable::redis {

namespace {

constexpr std::chrono::milliseconds heard_within{5};  // else the next look at the answers waits again

char letter_of(put_mode mode) noexcept {
  switch (mode) {
    case put_mode::keep: return 'k';
    case put_mode::replace: return 'r';
    case put_mode::fail: return 'e';
    default: return 'm';
  }
}

put_status put_status_of(char letter) noexcept {
  switch (letter) {
    case 's':
    case 'S': return put_status::stored;
    case 'r': return put_status::replaced;
    case 'k': return put_status::kept;
    case 'e': return put_status::exists;
    case 'm':
    case 'M': return put_status::moved;
    default: return put_status::gone;
  }
}

cancel_status cancel_status_of(char letter) noexcept {
  switch (letter) {
    case 'c': return cancel_status::cancelled;
    case 'a': return cancel_status::asked;
    case 'w': return cancel_status::withdrawn;
    default: return cancel_status::gone;
  }
}

// The places of a batch that were answered so far, and by which process.
struct answered {
  std::vector<std::pair<std::size_t, std::size_t>> places;  // and the number of the process
  std::vector<std::string> processes;

  void add(const portion& its, const std::string& process) {
    if (processes.empty() || processes.back() != process) processes.push_back(process);
    for (const std::size_t place : its.places) places.emplace_back(place, processes.size() - 1);
  }
  template <class Status, class Number>
  void keep_in(remembered<Status>& kept, Number number, std::span<const Status> results) const {
    for (const auto& [place, process] : places) kept.keep(number(place), results[place], processes[process]);
  }
};

// Reads the calls that were answered, also where others failed.
template <class Status, class Of>
void read_answered(std::span<const call> calls, const std::vector<portion>& round, std::span<Status> results, Of of,
                   answered& so_far) {
  for (std::size_t i = 0; i != round.size(); ++i) {
    if (calls[i].answer == nullptr) continue;
    read_letters(*calls[i].answer, round[i], results, of);
    so_far.add(round[i], calls[i].process);
  }
}

// Leaves what has not been answered before. Returns what was.
template <class Status, class Number>
std::vector<portion> drop_answered(std::vector<portion>& round, const remembered<Status>& before, Number number,
                                   std::span<Status> results) {
  std::vector<portion> dropped;
  if (before.is_empty()) return dropped;
  for (portion& its : round) {
    portion& known = dropped.emplace_back(portion{its.of, {}});
    for (const std::size_t place : its.places)
      if (before.recall(number(place), results[place])) known.places.push_back(place);
    std::erase_if(its.places, [&](std::size_t place) { return std::ranges::binary_search(known.places, place); });
  }
  std::erase_if(dropped, [](const portion& its) { return its.places.empty(); });
  std::erase_if(round, [](const portion& its) { return its.places.empty(); });
  return dropped;
}

// Calls that change nothing, of the shards of what was answered before: that is not sent again, but waited for, and
// WAIT counts what was written.
void add_calls(const std::vector<portion>& known, std::span<const redis_store::keys> keys_of, arena& in,
               std::vector<call>& calls) {
  for (const portion& its : known)
    calls.push_back({script::put, keys_of[its.of], {in.number(std::int64_t{store_format}), in.number(its.of), ""}});
}

// Whether some of that is to be sent again all the same, as its shard is with another process by now.
template <class Status, class Number>
bool forget_lost(std::span<const call> calls, const std::vector<portion>& known, Number number,
                 remembered<Status>& before) {
  bool any = false;
  for (std::size_t i = 0; i != known.size(); ++i) {
    if (calls[i].answer == nullptr) continue;
    for (const std::size_t place : known[i].places)
      any = before.forget_of_another(number(place), calls[i].process) || any;
  }
  return any;
}

}  // namespace

errc redis_store::run_and_wait(std::vector<call>& calls) {
  const auto most = std::chrono::duration_cast<std::chrono::milliseconds>(to_.patience() / 2);
  const errc code = run(calls);
  return code == errc{} && replicas_ != 0 && !to_.is_heard(calls, replicas_, most) ? errc::unavailable : code;
}

errc redis_store::put(std::span<const put_request> what, std::span<put_status> results) {
  const auto number = [&](std::size_t place) { return what[place].what.id; };
  answered so_far;
  for (std::vector<portion>& round : rounds_of(what, [](const put_request& one) { return one.what.shard; })) {
    std::vector<portion> known = drop_answered(round, puts_, number, results);
    if (replicas_ == 0) known.clear();
    arena in;
    std::vector<call> calls;
    for (const portion& its : round) {
      const auto shard = static_cast<shard_id>(its.of);
      call& one = calls.emplace_back(
          call{script::put, keys_[shard], {in.number(std::int64_t{store_format}), in.number(its.of)}});
      one.words.reserve(4 + 3 * its.places.size());
      char* const letters = in.room(its.places.size());
      for (std::size_t i = 0; i != its.places.size(); ++i) letters[i] = letter_of(what[its.places[i]].mode);
      one.words.emplace_back(letters, its.places.size());
      const auto due_of = [&](std::size_t place) { return what[place].what.due; };
      one.words.push_back(in.number(score_of(due_of(*std::ranges::min_element(its.places, {}, due_of)))));
      for (const std::size_t place : its.places) {
        one.words.push_back(in.number(score_of(due_of(place))));
        one.words.emplace_back(what[place].what.key);
      }
      for (const std::size_t place : its.places) one.words.push_back(pack(what[place].what, in));
    }
    add_calls(known, keys_, in, calls);
    errc code = run_and_wait(calls);
    read_answered(calls, round, results, put_status_of, so_far);
    if (forget_lost(std::span(calls).subspan(round.size()), known, number, puts_)) code = errc::unavailable;
    if (code == errc{}) continue;
    so_far.keep_in(puts_, number, std::span<const put_status>(results));
    return code;
  }
  puts_.clear();
  return errc{};
}

errc redis_store::cancel(std::span<const cancel_request> what, std::span<cancel_status> results) {
  const auto number = [&](std::size_t place) { return what[place].question; };
  answered so_far;
  for (std::vector<portion>& round : rounds_of(what, [](const cancel_request& one) { return one.shard; })) {
    std::vector<portion> known = drop_answered(round, cancels_, number, results);
    if (replicas_ == 0) known.clear();
    arena in;
    std::vector<call> calls;
    for (const portion& its : round) {
      call& one = calls.emplace_back(
          call{script::cancel, keys_[its.of], {in.number(std::int64_t{store_format}), in.number(its.of)}});
      for (const std::size_t place : its.places) {
        one.words.emplace_back(what[place].key);
        one.words.push_back(in.bytes_of(what[place].question, 8));
      }
    }
    add_calls(known, keys_, in, calls);
    errc code = run_and_wait(calls);
    read_answered(calls, round, results, cancel_status_of, so_far);
    if (forget_lost(std::span(calls).subspan(round.size()), known, number, cancels_)) code = errc::unavailable;
    if (code == errc{}) continue;
    so_far.keep_in(cancels_, number, std::span<const cancel_status>(results));
    return code;
  }
  cancels_.clear();
  return errc{};
}

errc redis_store::read_answers(std::span<const question_ref> what, std::span<answer> results) {
  for (const std::vector<portion>& round : rounds_of(what, [](const question_ref& one) { return one.shard; })) {
    std::vector<keys> own_keys;
    std::vector<call> calls;
    own_keys.reserve(round.size());
    for (const portion& its : round) {
      keys& asked = own_keys.emplace_back();
      for (const std::size_t place : its.places) asked.push_back(answer_key(what[place].shard, what[place].question));
      calls.push_back({script::answers, asked, {}});
    }
    if (const errc code = run(calls); code != errc{}) return code;
    bool any = false;
    for (std::size_t i = 0; i != round.size(); ++i) {
      for (std::size_t n = 0; n != round[i].places.size(); ++n) {
        const redisReply& its = *calls[i].answer->element[n];
        const bool has_it = its.type == REDIS_REPLY_STRING && its.len == 1 && its.str[0] >= '0' && its.str[0] <= '3';
        results[round[i].places[n]] = has_it ? static_cast<answer>(its.str[0] - '0') : answer::none;
        any = any || has_it;
      }
    }
    if (any && replicas_ != 0) drop_unheard(round, calls, results);
  }
  return errc{};
}

// An answer counts as soon as replicas have the end that was written with it: one that is promoted without would run
// the timer.
void redis_store::drop_unheard(const std::vector<portion>& round, std::span<const call> answered,
                               std::span<answer> results) {
  arena in;
  std::vector<call> calls;
  add_calls(round, keys_, in, calls);
  const bool heard = run(calls) == errc{} && to_.is_heard(calls, replicas_, heard_within);
  for (std::size_t i = 0; i != round.size(); ++i) {
    if (heard && calls[i].process == answered[i].process) continue;
    for (const std::size_t place : round[i].places) results[place] = answer::none;
  }
}

errc redis_store::revive(std::span<const put_request> what, std::span<put_status> results) {
  for (const std::vector<portion>& round : rounds_of(what, [](const put_request& one) { return one.what.shard; })) {
    arena in;
    std::vector<call> calls;
    for (const portion& its : round) {
      call& one = calls.emplace_back(
          call{script::revive, keys_[its.of], {in.number(std::int64_t{store_format}), in.number(its.of)}});
      for (const std::size_t place : its.places) {
        one.words.emplace_back(what[place].what.key);
        one.words.push_back(in.number(score_of(what[place].what.due)));
        one.words.push_back(pack_head(what[place].what.id, what[place].what.due, 1, in));
      }
    }
    if (const errc code = run_and_wait(calls); code != errc{}) return code;
    for (std::size_t i = 0; i != round.size(); ++i) read_letters(*calls[i].answer, round[i], results, put_status_of);
  }
  return errc{};
}

errc redis_store::list(const list_request& which, std::vector<listed_record>& out) {
  // A filter may leave few. Redis serves no other client during a page.
  const bool has_filter = !which.handler.empty() || !which.key_prefix.empty() || which.partition;
  const std::size_t wanted = has_filter ? most_in_a_call : std::min(which.limit, most_in_a_call);
  const std::size_t full = out.size() + which.limit;
  stored_time from = std::max(which.from, which.after_due);
  std::string after = which.after_due >= which.from ? which.after_key : std::string();
  for (;;) {
    arena in;
    const std::string until = "(" + std::to_string(score_of(which.until));
    call one{script::list,
             keys_of(which.shard, which.dead ? 4 : 2, 2),
             {in.number(score_of(from)), until, after, in.number(std::uint64_t{wanted})}};
    if (const errc code = run(std::span(&one, 1)); code != errc{}) return code;
    const redisReply& found = *one.answer->element[0];
    const redisReply& bodies = *one.answer->element[1];
    for (std::size_t i = 0; i != bodies.elements; ++i) {
      after = text_of(*found.element[2 * i]);
      from = time_of(text_of(*found.element[2 * i + 1]));
      if (from >= which.until || out.size() == full) return errc{};
      std::string_view body = text_of(*bodies.element[i]);
      std::string_view why;
      if (which.dead && body.size() >= 2) {
        const std::size_t length = std::min<std::size_t>(read_number(body.substr(0, 2)), body.size() - 2);
        why = body.substr(2, length);
        body.remove_prefix(2 + length);
      }
      record its = unpack(which.shard, after, body);
      if (!detail::has_wanted_key(which, its.key) || (!which.handler.empty() && its.handler != which.handler)) continue;
      out.push_back({std::move(its), std::string(why)});
    }
    if (bodies.elements < wanted || out.size() == full) return errc{};
  }
}

}  // namespace detent::durable::redis
