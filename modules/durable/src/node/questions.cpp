// SPDX-License-Identifier: MIT
#include "questions.hpp"

#include <algorithm>
#include <utility>

namespace detent::durable::detail {
namespace {

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

void questions::look_for_answers() {
  if (open_.empty()) {
    trouble_.ok(trouble::of::answers, errc{});
    return;
  }
  std::vector<question_ref> which;
  for (const question& one : open_) which.push_back(one.which);
  std::vector<answer> replies(which.size(), answer::none);
  if (!trouble_.ok(trouble::of::answers, store_.read_answers(which, replies))) std::ranges::fill(replies, answer::none);
  const std::chrono::nanoseconds now = trouble_.clock().elapsed();
  std::vector<question> left;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (replies[i] == answer::gone && open_[i].withdrawn) replies[i] = answer::cancelled;
    if (replies[i] == answer::none && now < open_[i].by.give_up_at)
      left.push_back(std::move(open_[i]));
    else
      trouble_.call(open_[i].by.done, result_of(replies[i]));
  }
  open_ = std::move(left);
}

void questions::give_up() {
  for (const question& one : std::exchange(open_, {})) trouble_.call(one.by.done, cancel_result::unknown);
}

}  // namespace detent::durable::detail
