// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <unordered_map>

namespace detent::durable::redis {

// What the answered parts of a batch came to that failed as a whole. The caller sends the whole again, and what was
// carried out must not be carried out twice: a timer may have run and ended in between.
template <class Status>
class remembered {
 public:
  // Whether the request of that number has been answered: then with this.
  bool recall(std::uint64_t number, Status& out) const {
    if (answered_.empty()) return false;
    const auto found = answered_.find(number);
    if (found == answered_.end()) return false;
    out = found->second;
    return true;
  }
  void keep(std::uint64_t number, Status status) { answered_.insert_or_assign(number, status); }
  void clear() noexcept { answered_.clear(); }

 private:
  std::unordered_map<std::uint64_t, Status> answered_;
};

}  // namespace detent::durable::redis
