// SPDX-License-Identifier: MIT
#include "trace_writer.hpp"

#include "recording_limits.hpp"

#include <algorithm>
#include <charconv>
#include <new>
#include <string_view>

namespace detent::detail {
namespace {

constexpr std::string_view source_of(operation_kind kind) {
  constexpr std::string_view names[] = {"",     "schedule", "rearm", "period", "restart", "cancel",
                                        "fire", "drop",     "pause", "resume", ""};
  return names[static_cast<std::size_t>(kind)];
}

char* copy(char* to, std::string_view text) noexcept { return std::copy(text.begin(), text.end(), to); }

}  // namespace

void trace_writer::add(const operation& what, std::uint64_t lost) noexcept {
  using state = recorded_generations::state;
  if (lost != 0) {
    unreported_ += lost;
    report_loss();
  }
  try {
    switch (what.kind) {
      case operation_kind::nothing: break;
      case operation_kind::schedule:
      case operation_kind::rearm:
      case operation_kind::period: arm(what); break;
      case operation_kind::restart: {
        const state found = generations_.look_up(what.id);
        if (found == state::armed) {
          put_arming('R', what);
        } else if (found == state::fired && waiting_.size() < limits::waiting_restarts) {
          waiting_.push_back(what);
        } else {
          lose();
        }
        break;
      }
      case operation_kind::cancel:
      case operation_kind::fire:
      case operation_kind::drop: {
        const bool fired = what.kind != operation_kind::cancel;
        groups_.end(what.id);
        if (generations_.look_up(what.id) != state::armed) {
          lose();
          break;
        }
        fired ? generations_.fire(what.id) : generations_.cancel(what.id);
        put(fired ? 'X' : 'C', what.at, what.id, 0, what.kind);
        break;
      }
      case operation_kind::pause:
      case operation_kind::resume:
      case operation_kind::forget: turn(what); break;
    }
  } catch (const std::bad_alloc&) {
    lose();
  }
}

void trace_writer::arm(const operation& what) {
  generations_.arm(what.id);
  put_arming('S', what);
  if (!waiting_.empty()) take_up_waiting(what);
}

void trace_writer::put_arming(char letter, const operation& what) {
  const std::uint64_t order = places_.next();
  const nanoseconds_t due = ticks_.round_up(groups_.arm(what, order, generations_));
  places_.arm(what.id, due, order);
  put(letter, what.at, what.id, due, what.kind);
}

void trace_writer::take_up_waiting(const operation& armed) {
  for (const operation& each : waiting_) {
    if (each.id == armed.id) put_arming('R', each);
  }
  std::erase_if(waiting_, [&](const operation& each) { return each.id == armed.id; });
}

void trace_writer::turn(const operation& what) {
  std::vector<recorded_groups::moved> rows = groups_.turn(what, generations_);
  for (recorded_groups::moved& each : rows) each.deadline = ticks_.round_up(each.deadline);
  if (what.kind == operation_kind::resume) places_.add_those_behind(rows, generations_);
  for (const recorded_groups::moved& each : rows) {
    places_.arm(each.id, each.deadline, each.order);
    put('R', what.at, each.id, each.deadline, what.kind);
  }
}

void trace_writer::put(char letter, nanoseconds_t at, std::uint64_t id, nanoseconds_t deadline,
                       operation_kind why) noexcept {
  if (text_.size() - used_ < longest_row + longest_loss_line) flush();
  last_ = std::max(last_, subtract_saturated(at, zero_));
  char* out = text_.data() + used_;
  char* const end = text_.data() + text_.size();
  out = std::to_chars(out, end, last_).ptr;
  *out++ = ',';
  *out++ = letter;
  *out++ = ',';
  out = std::to_chars(out, end, id).ptr;
  *out++ = ',';
  if (letter == 'S' || letter == 'R') {
    // `forever` stays the same wherever times begin.
    const nanoseconds_t due = deadline == forever ? forever : subtract_saturated(deadline, zero_);
    const nanoseconds_t delay = due == forever ? forever : std::max<nanoseconds_t>(0, subtract_saturated(due, last_));
    out = std::to_chars(out, end, delay).ptr;
  }
  *out++ = ',';
  out = copy(out, source_of(why));
  *out++ = '\n';
  used_ = static_cast<std::size_t>(out - text_.data());
}

void trace_writer::lose() noexcept {
  ++lost_;
  ++unreported_;
}

// There is always room for this line.
void trace_writer::report_loss() noexcept {
  if (unreported_ == 0) return;
  char line[longest_loss_line];
  used_ = static_cast<std::size_t>(copy(text_.data() + used_, loss_line(unreported_, line)) - text_.data());
  reporting_ += std::exchange(unreported_, 0);
  if (text_.size() - used_ < longest_loss_line) flush();
}

void trace_writer::flush() noexcept {
  report_loss();
  if (used_ == 0) return;
  const std::string_view lines(text_.data(), std::exchange(used_, 0));
  const trace_file::loss lost = file_.write(lines);
  lost_ += lost.rows;
  reported_ += std::exchange(reporting_, 0) - lost.reported;
}

void trace_writer::give_up() noexcept {
  lost_ += waiting_.size();
  waiting_.clear();
}

}  // namespace detent::detail
