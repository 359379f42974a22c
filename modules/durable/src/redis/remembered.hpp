// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace detent::durable::redis {

// The results of the answered parts of a batch that failed as a whole. The caller sends the whole again, and a request
// that was carried out must not be carried out twice: a timer may have run and ended in between. But it must be where
// another process answers by then: a replica that was promoted may not have heard of it.
template <class Status>
class remembered {
 public:
  // Whether the request of that number has been answered: then with this.
  bool recall(std::uint64_t number, Status& out) const {
    if (answered_.empty()) return false;
    const auto found = answered_.find(number);
    if (found == answered_.end()) return false;
    out = found->second.status;
    return true;
  }
  void keep(std::uint64_t number, Status status, std::string_view process) {
    answered_.insert_or_assign(number, entry{status, std::string(process)});
  }
  bool is_empty() const noexcept { return answered_.empty(); }
  // Whether it had been answered, and by another process than this one.
  bool forget_of_another(std::uint64_t number, std::string_view process) {
    const auto found = answered_.find(number);
    if (found == answered_.end() || found->second.process == process) return false;
    answered_.erase(found);
    return true;
  }
  void clear() noexcept { answered_.clear(); }

 private:
  struct entry {
    Status status;
    std::string process;
  };
  std::unordered_map<std::uint64_t, entry> answered_;
};

}  // namespace detent::durable::redis
