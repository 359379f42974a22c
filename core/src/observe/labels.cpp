// SPDX-License-Identifier: MIT
// What is told of timers one by one: by cause of lateness, by label, by where they were scheduled.
#include "engine/engine_core.hpp"

namespace detent::detail {

label engine_core::make_label(std::string_view name) {
  label made;
  // In the child of a fork the file and the lock are the parent's.
  const errc problem = is_forked() ? errc::forked : labels_.make(name, made);
  if (problem == errc{}) return made;
  std::string what = "engine \"" + options_.name + "\": make_label: \"" + std::string(name) + "\"";
  if (problem == errc::invalid_option) what += ": must be 1 to 63 bytes";
  if (problem == errc::capacity_exceeded) what += ": an engine has at most 255 labels";
  throw error(make_error_code(problem), what);
}

void engine_core::note_origin(node_index index, const origin& where) noexcept {
  nodes_.origin(index).set(where.file(), where.line(), time_.now());
}

void engine_core::tell_if_slow(thread_record& record, const slow_callback& run) noexcept {
  if (run.took < options_.slow_threshold) return;
  record.counts.add(counter::slow);
  if (!options_.on_slow) return;
  try {
    options_.on_slow(run);
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
  if (recorder_ != nullptr) counts_.set(gauge::record_dropped, static_cast<std::int64_t>(recorder_->dropped()));
  counts_.set(gauge::retries, static_cast<std::int64_t>(retries_.size()));
}

}  // namespace detent::detail
