// SPDX-License-Identifier: MIT
#include "finish_line.hpp"

#include "run.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace detent::durable::detail {

void finish_line::push(finished what) {
  {
    const std::lock_guard locked(lock_);
    if (closed_) return;
    ++pushed_;
  }
  inbox_->push(std::move(what));
}

finish_line::line& finish_line::line_of(const run& what) {
  const std::size_t most = what.by()->how.most_running;
  return most == 0 ? any_ : limited_.try_emplace(what.by(), line{.most = most}).first->second;
}

std::size_t finish_line::room() const {
  return most_unwritten_ - std::min(most_unwritten_, static_cast<std::size_t>(pushed_ - taken_) + unwritten_);
}

bool finish_line::has_held(line& in) {
  for (; !in.held.empty() && in.held.front()->held_as_ == 0; --in.withdrawn) in.held.pop_front();
  return !in.held.empty();
}

bool finish_line::admit(std::shared_ptr<run> what) {
  const std::lock_guard locked(lock_);
  if (closed_) return false;
  line& its = line_of(*what);
  if (room() != 0 && its.free() != 0 && !has_held(any_) && !has_held(its)) {
    ++running_;
    ++its.running;
    return true;
  }
  hold_in(its, std::move(what));
  return false;
}

void finish_line::hold_in(line& its, std::shared_ptr<run> what) {
  what->held_as_ = ++held_;
  its.held.push_back(std::move(what));
}

void finish_line::hold(std::shared_ptr<run> what) {
  const std::lock_guard locked(lock_);
  line& its = line_of(*what);
  hold_in(its, std::move(what));
}

void finish_line::detached() {
  const std::lock_guard locked(lock_);
  ++running_;
}

void finish_line::done(const run& what, bool is_last) {
  bool makes_way = false;
  {
    const std::lock_guard locked(lock_);
    --running_;
    if (is_last) {
      line& its = line_of(what);
      --its.running;
      makes_way = &its != &any_ && has_held(its);
    }
  }
  if (makes_way) inbox_->wake();
}

bool finish_line::let_go(run& what) {
  constexpr std::size_t few = 64;
  std::deque<std::shared_ptr<run>> left;  // declared first, so that it is destroyed without the lock
  const std::lock_guard locked(lock_);
  if (std::exchange(what.held_as_, 0) == 0) return false;
  line& its = line_of(what);
  if (++its.withdrawn <= few || its.withdrawn < its.held.size() / 2) return true;
  left.swap(its.held);
  std::ranges::copy_if(left, std::back_inserter(its.held), [](const auto& one) { return one->held_as_ != 0; });
  its.withdrawn = 0;
  return true;
}

// A careful run is marked as started, so it is not withdrawn.
bool finish_line::withdraw(run& what) { return !what.is_careful() && let_go(what); }

bool finish_line::take_back(run& what) { return let_go(what); }

std::shared_ptr<run> finish_line::next() {
  const std::lock_guard locked(lock_);
  --asked_;
  if (room() == 0) return nullptr;
  line* from = nullptr;
  const auto look_at = [&](line& at) {
    const bool may_start = has_held(at) && at.free() != 0;
    if (may_start && (from == nullptr || at.held.front()->held_as_ < from->held.front()->held_as_)) from = &at;
  };
  look_at(any_);
  for (auto& [by, its] : limited_) look_at(its);
  if (from == nullptr) return nullptr;
  std::shared_ptr<run> first = std::move(from->held.front());
  from->held.pop_front();
  first->held_as_ = 0;
  ++running_;
  ++from->running;
  return first;
}

void finish_line::start_next() noexcept {
  if (const std::shared_ptr<run> first = next()) first->start();
}

std::size_t finish_line::wrote_all_but(std::uint64_t taken, std::size_t unwritten) {
  const std::lock_guard locked(lock_);
  taken_ = taken;
  unwritten_ = unwritten;
  std::size_t ready = 0;
  const auto count = [&](line& in) { ready += has_held(in) ? std::min(in.held.size(), in.free()) : 0; };
  count(any_);
  for (auto& [by, its] : limited_) count(its);
  ready = std::min(ready, room());
  const std::size_t more = ready - std::min(ready, asked_);
  asked_ += more;
  return more;
}

void finish_line::does_not_ask() noexcept {
  const std::lock_guard locked(lock_);
  --asked_;
}

bool finish_line::close(bool ends_matter) {
  std::deque<std::shared_ptr<run>> held;  // destroyed without the lock, because a run takes the lock at its end
  std::map<const handling*, line> limited;
  const std::lock_guard locked(lock_);
  if (running_ != 0 || (ends_matter && pushed_ != taken_)) return false;
  closed_ = true;
  held.swap(any_.held);
  limited.swap(limited_);
  return true;
}

}  // namespace detent::durable::detail
