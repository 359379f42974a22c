// SPDX-License-Identifier: MIT
#include "hand.hpp"

#include "../stores/attempts.hpp"

#include <algorithm>
#include <new>

namespace detent::durable::detail {

void hand::arm(slot& its) {
  const std::shared_ptr<run> what = its.what;
  try {
    its.handle = calendar_.schedule_at(what->what().due, armed_run(what));
  } catch (const error&) {  // the engine is full, or has no memory
    refused_.push_back(what);
  } catch (const std::bad_alloc&) {
    refused_.push_back(what);
  }
}

void hand::arm_if_here(const std::shared_ptr<run>& what) {
  slots& in = shards_[what->what().shard];
  if (const auto found = in.find(what->what().key); found != in.end() && found->second.what == what) arm(found->second);
}

void hand::arm_taken() {
  std::ranges::stable_sort(taken_, {}, [](const std::shared_ptr<run>& its) { return its->what().due; });
  for (const std::shared_ptr<run>& what : taken_) arm_if_here(what);
  taken_.clear();
}

void hand::arm_refused() {
  for (const std::weak_ptr<run>& waiting : std::exchange(refused_, {}))
    if (const std::shared_ptr<run> what = waiting.lock()) arm_if_here(what);
}

bool hand::stop(slot& its) { return !its.handle || its.what->withdraw(its.handle) || line_->withdraw(*its.what); }

bool hand::put(record& what, const term& under) {
  const handling* by = known_.of(what);
  if (by == nullptr) {
    if (unarmed_ == most_unarmed_) {
      forgot_[what.shard] = true;
      return false;
    }
    ++unarmed_;
  }
  slot& its = shards_[what.shard].insert_or_assign(what.key, slot{}).first->second;
  if (by != nullptr) {
    its.what = std::make_shared<run>(std::move(what), under, by, line_);
  } else {
    record bare = what;
    bare.payload = {};  // only a question about it can come
    its.what = std::make_shared<run>(std::move(bare), under, by, line_);
  }
  ++size_;
  bytes_ += its.what->what().payload.size();
  if (by != nullptr) taken_.push_back(its.what);
  return by != nullptr;
}

void hand::erase(slots& in, slots::iterator which) {
  if (which->second.what->by() == nullptr) --unarmed_;
  bytes_ -= which->second.what->what().payload.size();
  in.erase(which);
  --size_;
}

bool hand::take(record& what, const term& under) {
  slots& in = shards_[what.shard];
  const auto found = in.find(what.key);
  if (found == in.end()) return put(what, under);
  const record& has = found->second.what->what();
  if (has.id == what.id && has.due == what.due) return true;
  return changed(what.shard, std::string(what.key), &what, under);
}

bool hand::changed(shard_id shard, const std::string& key, const record* now, const term& under) {
  slots& in = shards_[shard];
  const auto found = in.find(key);
  if (found != in.end()) {
    slot& its = found->second;
    const record& has = its.what->what();
    if (now != nullptr && has.id == now->id && has.due == now->due) return true;
    if (its.what->by() != nullptr && !stop(its)) {
      // It runs or has run, so only the newer version is left to erase.
      its.after.reset();
      if (now != nullptr) its.after.emplace(*now, under);
      return true;
    }
    erase(in, found);
  }
  if (now == nullptr) return true;
  record its = *now;
  return put(its, under);
}

hand::asked hand::ask(shard_id shard, const std::string& key) {
  slots& in = shards_[shard];
  const auto found = in.find(key);
  if (found == in.end()) {
    if (const auto moved = moved_[shard].find(key); moved != moved_[shard].end())
      return {answer::cancelled, moved->second, {}};
    return {forgot_[shard] ? answer::none : answer::gone, nullptr, {}};
  }
  slot& its = found->second;
  std::shared_ptr<const run> what = its.what;
  if (stop(its)) {
    erase(in, found);
    return {answer::cancelled, std::move(what), {}};
  }
  its.for_good = true;
  asked out{answer::running, std::move(what), {}};
  if (its.after) out.after = std::move(its.after->first);
  its.after.reset();
  return out;
}

void hand::moves_away(const record& what, stored_time to, const term& under) {
  record bare{.shard = what.shard, .key = what.key, .id = what.id, .due = to};  // only a question about it can come
  moved_[what.shard].insert_or_assign(what.key, std::make_shared<run>(std::move(bare), under, nullptr, line_));
}

void hand::moves_near(record what, const term& under) {
  const shard_id shard = what.shard;
  const std::string key = what.key;
  const bool retries = attempts::of(what.attempt).number > 1;
  if (!take(what, under) || !retries) return;  // a move that is no retry has erased the successor in the store
  if (const auto found = shards_[shard].find(key); found != shards_[shard].end())
    found->second.retried_in = readings_[shard];
}

bool hand::will_start(shard_id shard, const std::string& key) const noexcept {
  const slots& in = shards_[shard];
  const auto found = in.find(key);
  if (found == in.end() || found->second.retried_in == readings_[shard]) return false;
  return found->second.after || !found->second.what->has_begun();
}

bool hand::forget(const record& what) {
  slots& in = shards_[what.shard];
  const auto found = in.find(what.key);
  if (found == in.end()) return true;
  slot& its = found->second;
  const record& has = its.what->what();
  if (has.id != what.id || has.due != what.due) return true;  // it is another version
  if (!stop(its)) return false;
  erase(in, found);
  return true;
}

void hand::over(const run& what) {
  slots& in = shards_[what.what().shard];
  const auto found = in.find(what.what().key);
  if (found == in.end() || found->second.what.get() != &what) return;
  auto after = std::move(found->second.after);
  erase(in, found);
  if (!after) return;
  put(after->first, after->second);
  arm_taken();
}

void hand::dropped(const run& what) {
  slots& in = shards_[what.what().shard];
  const auto found = in.find(what.what().key);
  if (found == in.end() || found->second.what.get() != &what || !found->second.handle) return;  // withdrawn or refused
  slot& its = found->second;
  if (its.after || its.for_good) return over(what);
  its.handle = {};
  refused_.push_back(its.what);
}

bool hand::ends_for_good(const run& what) const noexcept {
  const slots& in = shards_[what.what().shard];
  const auto found = in.find(what.what().key);
  return found != in.end() && found->second.what.get() == &what && found->second.for_good;
}

void hand::drop(shard_id shard) {
  forgot_[shard] = false;
  moved_[shard].clear();
  for (slots& in = shards_[shard]; !in.empty(); erase(in, in.begin())) stop(in.begin()->second);
}

bool hand::withdraw(shard_id shard) {
  bool careful = false;
  slots& in = shards_[shard];
  for (auto at = in.begin(); at != in.end();) {
    slot& its = at->second;
    its.after.reset();
    const auto here = at++;
    if (!stop(its)) continue;
    careful = careful || its.what->what().due <= its.what->term().careful_upto();
    erase(in, here);
  }
  return careful;
}

}  // namespace detent::durable::detail
