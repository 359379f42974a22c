// SPDX-License-Identifier: MIT
// What is told of timers one by one: by cause of lateness, by label, by where they were scheduled.
#include "engine_core.hpp"

namespace detent::detail {

label engine_core::make_label(std::string_view name) {
  label made;
  const errc problem = labels_.make(name, made);
  if (problem == errc{}) return made;
  throw error(make_error_code(problem),
              "engine \"" + options_.name + "\": make_label: \"" + std::string(name) +
                  "\": " + (problem == errc::invalid_option ? "must be 1 to 63 bytes" : "one label too many"));
}

// Of a label of another engine, or none: of nothing.
engine_metrics engine_core::metrics(const label& of) const {
  const label_block* block = labels_.has(of) ? labels_.find(labels_.number(of)) : nullptr;
  return block == nullptr ? engine_metrics{} : metrics(*block);
}

void engine_core::note_origin(node_index index, const origin& where) noexcept {
  origin_record& record = origin_at(index);
  // (2) release, all three: pair with (1) of list_pending(), so that who reads those of a later life finds the word of
  // that life, too.
  record.file.store(where.file(), base::release);
  record.line.store(where.line(), base::release);
  record.scheduled.store(time_.now(), base::release);
}

// The driver's part of a timer's lateness, whose turn has come.
void engine_core::count_parts(nanoseconds_t deadline, std::uint32_t taken_up, nanoseconds_t now,
                              label_block* label) noexcept {
  const lateness_parts parts = split_.split(deadline, taken_up, now);
  auto count = [&](cause which, nanoseconds_t part) {
    counts_[which].record(part, true);
    if (label != nullptr) (*label)[which].record(part, true);
  };
  if (parts.drain != 0) [[unlikely]]
    count(cause::drain, parts.drain);
  if (parts.wait != 0) count(cause::wait, parts.wait);
  if (parts.worker != 0) count(cause::worker, parts.worker);
}

// A run begins. Behind it the node may be another timer's: what is told at its end is noted now.
void engine_core::count_start(thread_record& record, run_account& account, node_index index, nanoseconds_t deadline,
                              nanoseconds_t started) noexcept {
  const nanoseconds_t late = subtract_saturated(started, deadline);
  label_block* const label = account.label;
  account.deadline = deadline;
  if (captures_origin_) [[unlikely]] {
    account.file = origin_at(index).file.load(base::relaxed);  // relaxed, both: this thread's timer
    account.line = origin_at(index).line.load(base::relaxed);
  }
  record.counts.add(counter::fired);
  counts_[cause::lateness].record(late, runs_inline_);
  if (label != nullptr) [[unlikely]] {
    label->add(label_counter::fired);
    (*label)[cause::lateness].record(late, runs_inline_);
  }
  if (runs_inline_) return count_parts(deadline, account.taken_up, started, label);
  const nanoseconds_t waited = std::min(started - account.handed_over, late);
  if (waited <= 0) return;
  counts_[cause::dispatch].record(waited, false);
  if (label != nullptr) (*label)[cause::dispatch].record(waited, false);
}

// It is over, and took so long.
void engine_core::count_callback(thread_record& record, const run_account& account, nanoseconds_t took) noexcept {
  counts_[cause::callback].record(took, runs_inline_);
  if (account.label != nullptr) [[unlikely]]
    (*account.label)[cause::callback].record(took, runs_inline_);
  if (took >= slow_threshold_) [[unlikely]]
    tell_slow(record, account, took);
}

void engine_core::tell_slow(thread_record& record, const run_account& account, nanoseconds_t took) noexcept {
  record.counts.add(counter::slow);
  if (!options_.on_slow) return;
  try {
    options_.on_slow({account.label == nullptr ? label() : labels_.named(*account.label), duration(took),
                      to_time(account.deadline), account.file, account.line});
  } catch (...) {
    report(std::current_exception());
  }
}

// A timer with a twin ends.
void engine_core::count_end(node_index index, std::uint64_t word, label_counter how) noexcept {
  if ((word & state_word::cold) == 0) return;
  if (label_block* label = labels_.find(cold_at(index))) label->add(how);
}

void engine_core::tell_gauges() noexcept {
  counts_.set(gauge::wakeups, static_cast<std::int64_t>(waiter_.wakeups()));
  counts_.set(gauge::backlog, static_cast<std::int64_t>(queue_.size_approx()));
  counts_.set(gauge::margin, waiter_.margin());
  counts_.set(gauge::last_pass, pass_now_);
  counts_.set(gauge::next_deadline, wheel_.next_bound().value_or(forever));
  counts_.set(gauge::retries, static_cast<std::int64_t>(retries_.size()));
}

}  // namespace detent::detail
