// SPDX-License-Identifier: MIT
#include "servers.hpp"

#include "no_sigpipe.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace detent::durable::redis {

// A call that is under way.
struct servers::pending {
  call* what;
  std::uint16_t slot;
  link* via = nullptr;
  const address* asked = nullptr;  // the server to which ASK redirected it
  bool by_text = false;            // with the script's text, because the server did not have it
  bool was_lost = false;           // its answer was lost once already
};

namespace {

// For a lost answer, a flushed script and a slot that moves while the cluster is reshaped.
constexpr int most_rounds = 6;

bool is_error(const reply& answer) noexcept { return answer != nullptr && answer->type == REDIS_REPLY_ERROR; }

// The last word of "MOVED 3999 10.0.0.1:6381". A node that does not know its own name leaves the host out. Returns
// nothing if that is no address.
std::optional<address> target_of(std::string_view error, const address& from) {
  std::string_view where = error.substr(error.rfind(' ') + 1);
  try {
    if (where.starts_with(':')) return parse_address(from.host + std::string(where));
    return parse_address(where);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

}  // namespace

servers::servers(whereabouts where, access how)
    : where_(std::move(where)),
      how_(std::move(how)),
      sentinels_(where_.master.empty() ? nullptr : std::make_unique<sentinels>(where_, how_)),
      known_(sentinels_ == nullptr ? where_.known : std::vector<address>()) {}

trouble servers::open() {
  const no_sigpipe guard;
  trouble failed = open_master();
  if (failed) return failed;
  const link& master = to(known_[master_]);
  if (const trouble why = unfit(master.facts())) return {why.kind, master.where().text() + " " + why.text};
  is_cluster_ = master.facts().is_cluster;
  if (!is_cluster_) return {};
  failed = read_slots();
  return failed ? failed : unfit_owner();
}

// Each node of a cluster has its own settings. A node that does not answer now is not asked again.
trouble servers::unfit_owner() {
  for (std::size_t number = 0; number != known_.size(); ++number) {
    if (std::find(owner_of_.begin(), owner_of_.end(), number) == owner_of_.end()) continue;
    link& owner = to(known_[number]);
    if (owner.open()) continue;
    if (const trouble why = unfit(owner.facts())) return {why.kind, owner.where().text() + " " + why.text};
  }
  return {};
}

link& servers::to(const address& where) {
  const std::string name = where.text();
  auto found = links_.find(name);
  if (found == links_.end()) found = links_.emplace(name, std::make_unique<link>(where, how_)).first;
  return *found->second;
}

// Finds a node of a cluster, or the server that is no replica. The last one that was suitable is tried first.
trouble servers::open_master() {
  if (sentinels_ != nullptr) return open_named_master();
  trouble worst;
  for (std::size_t tried = 0; tried != known_.size(); ++tried) {
    const std::size_t number = (master_ + tried) % known_.size();
    link& candidate = to(known_[number]);
    trouble failed = candidate.open();
    if (!failed && candidate.facts().is_replica && !candidate.facts().is_cluster) {
      candidate.close();  // its role may change
      failed = {refusal::read_only,
                candidate.where().text() + " is a replica, which takes no writes: give its master as well"};
    }
    if (!failed) {
      master_ = number;
      return {};
    }
    if (!worst || worst.kind == refusal::lost) worst = std::move(failed);
  }
  return worst;
}

// If it is a replica, the failover is under way, or the Sentinel has not heard of it.
trouble servers::open_named_master() {
  address master;
  if (trouble failed = sentinels_->ask(master)) return failed;
  const std::size_t number = number_of(std::move(master));
  link& named = to(known_[number]);
  if (trouble failed = named.open()) return failed;
  if (named.facts().is_replica) {
    named.close();
    return {refusal::lost, named.where().text() + " is a replica, and the Sentinels still name it as the master"};
  }
  master_ = number;
  return {};
}

void servers::leave_old_master() {
  if (sentinels_ != nullptr && master_ < known_.size() && sentinels_->has_moved()) to(known_[master_]).close();
}

std::size_t servers::number_of(address where) {
  const auto found = std::find(known_.begin(), known_.end(), where);
  if (found != known_.end()) return static_cast<std::size_t>(found - known_.begin());
  known_.push_back(std::move(where));
  return known_.size() - 1;
}

trouble servers::read_slots() {
  trouble failed{refusal::lost, "no node of the cluster answers"};
  const std::vector<address> candidates = known_;
  for (const address& where : candidates) {
    link& through = to(where);
    failed = through.open();
    if (!failed) failed = read_slots_from(through);
    if (!failed) return {};
  }
  return failed;
}

trouble servers::read_slots_from(link& through) {
  const std::string from = through.where().text();
  through.append(std::array<std::string_view, 2>{"CLUSTER", "SLOTS"});
  const reply answer = through.read();
  if (answer == nullptr) return {refusal::lost, from + ": " + through.why()};
  if (is_error(answer)) return {classify(text_of(*answer)), from + ": " + std::string(text_of(*answer))};
  owner_of_.resize(slots);
  for (std::size_t i = 0; i != answer->elements; ++i) {
    const redisReply& range = *answer->element[i];
    if (range.elements < 3 || range.element[2]->elements < 2)
      return {refusal::unexpected, from + ": CLUSTER SLOTS of a strange form"};
    const redisReply& master = *range.element[2];
    address its{std::string(text_of(*master.element[0])), static_cast<int>(master.element[1]->integer)};
    if (its.host.empty()) its = through.where().is_path() ? through.where() : address{through.where().host, its.port};
    const std::size_t owner = number_of(std::move(its));
    for (auto slot = range.element[0]->integer; slot <= range.element[1]->integer; ++slot)
      owner_of_[static_cast<std::size_t>(slot)] = static_cast<std::uint16_t>(owner);
  }
  return {};
}

void servers::run(std::span<call> calls) {
  const no_sigpipe guard;
  std::vector<pending> round;
  round.reserve(calls.size());
  for (call& one : calls) round.push_back({&one, hash_slot(one.keys.front())});
  used_.clear();
  leave_old_master();
  for (int rounds = 0; rounds != most_rounds && !round.empty(); ++rounds) {
    // Finding the way may send questions to the servers, so it is done before anything else is under way to them.
    for (pending& one : round) one.via = reach(one);
    for (pending& one : round) {
      if (one.via != nullptr && one.via->is_open()) send(one);
    }
    std::vector<pending> next;
    for (pending& one : round) {
      if (one.via != nullptr && receive(one)) next.push_back(one);
    }
    round = std::move(next);
  }
}

// Returns the open connection for the call. If it returns null, `failed` says why.
link* servers::reach(pending& one) {
  trouble failed;
  if (one.asked != nullptr) {
    link& target = to(*one.asked);
    failed = target.open();
    if (!failed) return &target;
  } else if (is_cluster_) {
    for (const bool is_fresh : {false, true}) {
      if (is_fresh) failed = read_slots();
      if (is_fresh && failed) break;
      link& owner = to(known_[owner_of_[one.slot]]);
      failed = owner.open();
      if (!failed) return &owner;
    }
  } else {
    if (master_ < known_.size() && to(known_[master_]).is_open()) return &to(known_[master_]);
    failed = open_master();
    if (!failed) return &to(known_[master_]);
  }
  one.what->failed = std::move(failed);
  return nullptr;
}

void servers::send(pending& one) {
  if (one.asked != nullptr) one.via->append(std::array<std::string_view, 1>{"ASKING"});
  std::vector<std::string_view> words;
  words.reserve(3 + one.what->keys.size() + one.what->words.size());
  words.emplace_back(one.by_text ? "EVAL" : "EVALSHA");
  words.push_back(one.by_text ? std::string_view(text(one.what->what)) : one.via->digest(one.what->what));
  const std::string count = std::to_string(one.what->keys.size());
  words.emplace_back(count);
  words.insert(words.end(), one.what->keys.begin(), one.what->keys.end());
  words.insert(words.end(), one.what->words.begin(), one.what->words.end());
  one.via->append(words);
  one.what->was_sent = true;
  if (std::find(used_.begin(), used_.end(), one.via) == used_.end()) used_.push_back(one.via);
}

// Returns whether the call must be sent once more.
bool servers::receive(pending& one) {
  if (one.asked != nullptr) static_cast<void>(one.via->read());
  call& what = *one.what;
  what.answer = one.via->read();
  if (is_error(what.answer)) {
    const reply error = std::move(what.answer);
    what.failed = {classify(text_of(*error)), one.via->where().text() + ": " + std::string(text_of(*error))};
    return again(one, text_of(*error));
  }
  if (what.answer != nullptr) {
    what.failed = {};
    what.process = one.via->facts().process;
    return false;
  }
  what.failed = {refusal::lost, one.via->where().text() + ": " + one.via->why()};
  return !std::exchange(one.was_lost, true);
}

bool servers::again(pending& one, std::string_view error) {
  one.asked = nullptr;
  switch (one.what->failed.kind) {
    case refusal::no_script: return !std::exchange(one.by_text, true);
    case refusal::moved:
    case refusal::ask: return follow(one, error);
    case refusal::read_only:  // it was the master when the connection was made
      if (one.via->is_open()) one.via->close();
      return !std::exchange(one.was_lost, true);
    default: return false;
  }
}

bool servers::follow(pending& one, std::string_view error) {
  std::optional<address> target = target_of(error, one.via->where());
  if (!target) {
    one.what->failed.kind = refusal::unexpected;
  } else if (one.what->failed.kind == refusal::ask) {
    one.asked = &to(*target).where();
  } else {
    owner_of_.resize(slots);
    owner_of_[one.slot] = static_cast<std::uint16_t>(number_of(std::move(*target)));
  }
  return target.has_value();
}

bool servers::wait_for_replicas(std::span<call> calls, unsigned replicas, std::chrono::milliseconds limit) {
  const no_sigpipe guard;
  const std::string count = std::to_string(replicas);
  const std::string most = std::to_string(std::max<long long>(1, limit.count()));
  std::erase_if(used_, [](const link* used) { return !used->is_open(); });
  for (link* const used : used_) used->append(std::array<std::string_view, 3>{"WAIT", count, most});
  std::vector<std::string_view> heard;  // processes whose replicas have it
  for (link* const used : used_) {
    const reply answer = used->read();
    if (answer != nullptr && answer->type == REDIS_REPLY_INTEGER && answer->integer >= replicas)
      heard.push_back(used->facts().process);
  }
  for (call& one : calls) one.is_heard = one.answer != nullptr && std::ranges::find(heard, one.process) != heard.end();
  return std::ranges::all_of(calls, [](const call& one) { return one.answer == nullptr || one.is_heard; });
}

whereabouts servers::places() const {
  if (sentinels_ != nullptr) return where_;
  whereabouts all{known_};
  std::rotate(all.known.begin(), all.known.begin() + static_cast<std::ptrdiff_t>(master_), all.known.end());
  return all;
}

}  // namespace detent::durable::redis
