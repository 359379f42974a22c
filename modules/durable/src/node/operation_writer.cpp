// SPDX-License-Identifier: MIT
#include "operation_writer.hpp"

#include "../stores/clocks.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace detent::durable::detail {
namespace {

constexpr std::size_t batch = 4000;

std::error_code code_of(put_status status) noexcept {
  switch (status) {
    case put_status::exists: return errc::exists;
    case put_status::gone: return errc::gone;
    case put_status::stored:
    case put_status::replaced:
    case put_status::kept:
    case put_status::moved: break;
  }
  return {};
}

cancel_result result_of(answer reply) noexcept {
  switch (reply) {
    case answer::cancelled: return cancel_result::cancelled;
    case answer::running: return cancel_result::running;
    case answer::gone: return cancel_result::gone;
    case answer::none: break;
  }
  return cancel_result::unknown;
}

}  // namespace

void operation_writer::over(std::size_t count) {
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  outbox_.over(count);
}

void operation_writer::drop_given_up() {
  const auto kept = std::ranges::find_if(waiting_, [](const operation& one) {
    const auto* cancel = std::get_if<cancel_operation>(&one);
    return cancel == nullptr || !cancel->given_up;
  });
  over(static_cast<std::size_t>(kept - waiting_.begin()));
}

void operation_writer::write_puts() {
  std::vector<put_request> requests;
  for (auto at = waiting_.begin(); at != waiting_.end() && requests.size() < batch; ++at) {
    const auto* put = std::get_if<put_operation>(&*at);
    if (put == nullptr) break;
    requests.push_back(put->what);
  }
  std::vector<put_status> results(requests.size());
  if (!trouble_.ok(trouble::of::operations, store_.put(requests, results))) return;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& put = std::get<put_operation>(waiting_[i]);
    const std::error_code code = code_of(results[i]);
    if (put.done)
      trouble_.call(put.done, code);
    else if (code)
      trouble_.report(code, "\"" + std::string(parts_of(put.what.what.key).key) + "\": " + code.message());
  }
  counts_.now.stored += results.size();
  over(results.size());
}

void operation_writer::write_cancels() {
  std::vector<cancel_request> requests;
  for (auto at = waiting_.begin(); at != waiting_.end() && requests.size() < batch; ++at) {
    const auto* cancel = std::get_if<cancel_operation>(&*at);
    if (cancel == nullptr || cancel->given_up) break;
    requests.push_back(cancel->what);
  }
  std::vector<cancel_status> results(requests.size());
  if (!trouble_.ok(trouble::of::operations, store_.cancel(requests, results))) return;
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto& cancel = std::get<cancel_operation>(waiting_[i]);
    const bool withdrawn = results[i] == cancel_status::withdrawn;
    if (withdrawn || results[i] == cancel_status::asked)
      questions_.push_back({{cancel.what.shard, cancel.what.question}, std::move(cancel), withdrawn});
    else
      trouble_.call(cancel.done,
                    results[i] == cancel_status::cancelled ? cancel_result::cancelled : cancel_result::gone);
  }
  counts_.now.stored += results.size();
  over(results.size());
}

void operation_writer::take() { std::ranges::move(outbox_.take_all(), std::back_inserter(waiting_)); }

void operation_writer::write() {
  take();
  drop_given_up();
  if (waiting_.empty()) {
    trouble_.ok(trouble::of::operations, errc{});
    return;
  }
  if (std::holds_alternative<put_operation>(waiting_.front()))
    write_puts();
  else
    write_cancels();
}

std::chrono::nanoseconds operation_writer::impatient_at() const {
  if (outbox_.size() != waiting_.size()) return {};  // some have yet to be looked at
  std::chrono::nanoseconds first = std::chrono::nanoseconds::max();
  for (const operation& one : waiting_)
    if (const auto* cancel = std::get_if<cancel_operation>(&one); cancel != nullptr && !cancel->given_up)
      first = std::min(first, cancel->give_up_at);
  return first;
}

void operation_writer::end_impatient() {
  take();
  const std::chrono::nanoseconds now = elapsed();
  for (operation& one : waiting_) {
    auto* cancel = std::get_if<cancel_operation>(&one);
    if (cancel == nullptr || cancel->given_up || now < cancel->give_up_at) continue;
    cancel->given_up = true;
    trouble_.call(std::exchange(cancel->done, nullptr), cancel_result::unknown);
  }
  drop_given_up();
}

void operation_writer::look_for_answers() {
  if (questions_.empty()) {
    trouble_.ok(trouble::of::answers, errc{});
    return;
  }
  std::vector<question_ref> which;
  for (const question& one : questions_) which.push_back(one.which);
  std::vector<answer> replies(which.size(), answer::none);
  if (!trouble_.ok(trouble::of::answers, store_.read_answers(which, replies))) std::ranges::fill(replies, answer::none);
  const std::chrono::nanoseconds now = elapsed();
  std::vector<question> open;
  for (std::size_t i = 0; i < questions_.size(); ++i) {
    if (replies[i] == answer::gone && questions_[i].withdrawn) replies[i] = answer::cancelled;
    if (replies[i] == answer::none && now < questions_[i].of.give_up_at)
      open.push_back(std::move(questions_[i]));
    else
      trouble_.call(questions_[i].of.done, result_of(replies[i]));
  }
  questions_ = std::move(open);
}

void operation_writer::give_up() {
  take();
  std::size_t silent = 0;
  for (const operation& one : waiting_) {
    if (const auto* put = std::get_if<put_operation>(&one)) {
      trouble_.call(put->done, make_error_code(errc::stopped));
      if (!put->done) ++silent;
    }
    if (const auto* cancel = std::get_if<cancel_operation>(&one)) trouble_.call(cancel->done, cancel_result::unknown);
  }
  over(waiting_.size());
  if (silent != 0)
    trouble_.report(errc::stopped,
                    std::to_string(silent) + " timers were scheduled or moved, and are not in the store");
  for (const question& one : questions_) trouble_.call(one.of.done, cancel_result::unknown);
  questions_.clear();
}

}  // namespace detent::durable::detail
