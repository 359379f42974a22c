// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_store.hpp>

#include <deque>

namespace detent::durable::redis {

// Ends that a master has and its replicas may lack. A failover would forget them, and their timers would run again. So
// they are sent again with the next term of their shard, if another process gives that term. Their number is bounded:
// the oldest are dropped first.
class unheard {
 public:
  void keep(const end_request& what, std::string_view process) {
    if (kept_.size() == most) kept_.pop_front();
    kept_.push_back({what, std::string(process)});
  }
  // The replicas of that process have all that it was sent.
  void heard(std::string_view process) {
    std::erase_if(kept_, [&](const entry& one) { return one.process == process; });
  }
  // Adds, under the new term, the shard's requests that another process had.
  void add_to(std::vector<change>& out, const term_ref& now, std::string_view process) const {
    for (const entry& one : kept_) {
      if (!is_of_another(one, now, process)) continue;
      out.emplace_back(one.what);
      std::get<end_request>(out.back()).term = now;
    }
  }
  // The requests have reached this process by now.
  void drop(const term_ref& now, std::string_view process) {
    std::erase_if(kept_, [&](const entry& one) { return is_of_another(one, now, process); });
  }

 private:
  struct entry {
    end_request what;
    std::string process;
  };
  static constexpr std::size_t most = 65536;

  static bool is_of_another(const entry& one, const term_ref& now, std::string_view process) noexcept {
    return one.what.term.shard == now.shard && one.process != process;
  }

  std::deque<entry> kept_;
};

}  // namespace detent::durable::redis
