// SPDX-License-Identifier: MIT
#include "memory.hpp"

namespace model {

void memory::reset(const weak_bounds& bounds) {
  bounds_ = bounds;
  count_ = 0;
  sequence_ = 0;
  fenced_ = {};
  stale_ = 0;
  was_stale_ = false;
}

memory::location memory::add(std::uint64_t value, thread_index writer, moment at) {
  if (count_ == places_.size()) places_.emplace_back();
  place& made = places_[count_];
  made.stores.assign(1, {});
  made.stored = made.used = {};
  store_event& first = made.stores.front();
  first.value = value;
  first.met.fill(never);
  first.met[writer] = at;
  return static_cast<location>(count_++);
}

bool memory::known(const store_event& store, const observer& by, bool sequential) const {
  if (store.sequenced <= (sequential ? sequence_ : by.now.sequenced)) return true;
  for (std::size_t i = 0; i != max_threads; ++i) {
    if (store.met[i] <= by.now.seen[i] || (sequential && store.met[i] <= fenced_[i])) return true;
  }
  return false;
}

// The last store in modification order that the thread may not go before. The first is always known, or the memory
// under the object would not be.
std::size_t memory::floor(const place& where, const observer& by, bool sequential) const {
  std::size_t index = where.stores.size() - 1;
  while (index != 0 && !known(where.stores[index], by, sequential)) --index;
  return index;
}

bool memory::may_read(const place& where, std::size_t index, const observer& by) const {
  if (index + 1 == where.stores.size()) return true;
  return stale_ < bounds_.stale && where.stores[index].stale_reads[by.self] < bounds_.repeats;
}

// The newest way is way 0: what a strong machine would do comes first.
std::size_t memory::pick(const place& where) {
  std::size_t way = ways_.size() == 1 ? 0 : decide_.choose(static_cast<unsigned>(ways_.size()));
  was_stale_ = ways_[way] + 1 != where.stores.size();
  return ways_[way];
}

std::uint64_t memory::read(observer& by, place& where, std::size_t index, order o) {
  store_event& from = where.stores[index];
  if (index + 1 != where.stores.size()) {
    ++stale_;
    ++from.stale_reads[by.self];
    by.read_stale = true;
  }
  where.used.set(by.self, by.now.ordered[by.self]);
  if (from.met[by.self] == never) from.met[by.self] = by.now.seen[by.self];
  (acquires(o) ? by.now : by.to_acquire).join(from.message);
  if (o == order::seq_cst && sequence_ < from.sequenced) from.sequenced = sequence_;
  return from.value;
}

std::uint64_t memory::load(observer& by, location where, order o) {
  place& here = places_[where];
  if (o == order::seq_cst) ++sequence_;
  ways_.clear();
  for (std::size_t last = floor(here, by, o == order::seq_cst), i = here.stores.size(); i-- > last;) {
    if (may_read(here, i, by)) ways_.push_back(i);
  }
  return read(by, here, pick(here), o);
}

void memory::insert(observer& by, place& where, std::size_t index, std::uint64_t value, order o, bool pinned) {
  store_event made;
  made.value = value;
  made.message = releases(o) ? by.now : by.released;
  // A release sequence goes on through read-modify-writes, and through nothing else.
  if (pinned) made.message.join(where.stores[index - 1].message);
  made.met.fill(never);
  made.met[by.self] = by.now.seen[by.self];
  if (o == order::seq_cst) made.sequenced = sequence_;
  made.pinned = pinned;
  where.stored.set(by.self, by.now.ordered[by.self]);
  where.used.set(by.self, by.now.ordered[by.self]);
  where.stores.insert(where.stores.begin() + static_cast<std::ptrdiff_t>(index), made);
}

void memory::store(observer& by, location where, std::uint64_t value, order o) {
  place& here = places_[where];
  if (o == order::seq_cst) ++sequence_;
  std::size_t last = floor(here, by, o == order::seq_cst);
  ways_.assign(1, here.stores.size());
  for (std::size_t i = here.stores.size(); stale_ < bounds_.stale && --i > last;) {
    if (!here.stores[i].pinned) ways_.push_back(i);
  }
  std::size_t way = ways_.size() == 1 ? 0 : decide_.choose(static_cast<unsigned>(ways_.size()));
  if (way != 0) ++stale_;
  was_stale_ = way != 0;
  insert(by, here, ways_[way], value, o, false);
}

std::uint64_t memory::update(observer& by, location where, change how, std::uint64_t operand, order o) {
  place& here = places_[where];
  if (o == order::seq_cst) ++sequence_;
  ways_.clear();
  for (std::size_t last = floor(here, by, o == order::seq_cst), i = here.stores.size(); i-- > last;) {
    bool free_behind = i + 1 == here.stores.size() || !here.stores[i + 1].pinned;
    if (free_behind && may_read(here, i, by)) ways_.push_back(i);
  }
  std::size_t from = pick(here);
  std::uint64_t before = read(by, here, from, o);
  insert(by, here, from + 1, how(before, operand), o, true);
  return before;
}

// Strong: it fails only where it reads another value.
memory::updated memory::compare_exchange(observer& by, location where, std::uint64_t expected, std::uint64_t desired,
                                         std::uint64_t mask, order success, order failure) {
  place& here = places_[where];
  const bool sequential = success == order::seq_cst;
  if (sequential) ++sequence_;
  auto matches = [&](const store_event& store) { return ((store.value ^ expected) & mask) == 0; };
  ways_.clear();
  for (std::size_t last = floor(here, by, sequential), i = here.stores.size(); i-- > last;) {
    bool free_behind = i + 1 == here.stores.size() || !here.stores[i + 1].pinned;
    if ((free_behind || !matches(here.stores[i])) && may_read(here, i, by)) ways_.push_back(i);
  }
  std::size_t from = pick(here);
  if (!matches(here.stores[from])) return {read(by, here, from, failure), false};
  std::uint64_t before = read(by, here, from, success);
  insert(by, here, from + 1, (before & ~mask) | (desired & mask), success, true);
  return {before, true};
}

bool memory::compare_exchange_both(observer& by, location low, location high, const std::uint64_t (&expected)[2],
                                   const std::uint64_t (&desired)[2]) {
  ++sequence_;
  place* both[] = {&places_[low], &places_[high]};
  was_stale_ = false;
  bool same = true;
  for (int i = 0; i != 2; ++i) same &= read(by, *both[i], both[i]->stores.size() - 1, order::seq_cst) == expected[i];
  for (int i = 0; same && i != 2; ++i) insert(by, *both[i], both[i]->stores.size(), desired[i], order::seq_cst, true);
  return same;
}

std::size_t memory::unordered_writer(location where, const clock& ordered) const {
  return places_[where].stored.first_beyond(ordered);
}

std::size_t memory::unordered_user(location where, const clock& ordered) const {
  return places_[where].used.first_beyond(ordered);
}

void memory::fence(observer& by, order o) {
  if (acquires(o)) by.now.join(by.to_acquire);
  if (o == order::seq_cst) {
    by.now.seen.join(fenced_);
    fenced_ = by.now.seen;
    by.now.sequenced = ++sequence_;
  }
  if (releases(o)) by.released = by.now;
}

}  // namespace model
