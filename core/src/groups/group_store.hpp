// SPDX-License-Identifier: MIT
#pragma once

#include "groups/group_state.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace detent::detail {

// An engine's groups, those in use and those to be used again. Any thread. Making a group takes a lock; giving it back
// does not, because the driver may do that. The driver takes the requests by an end of its own (driver/groups_end.hpp).
class group_store {
 public:
  // Makes room ahead for `reserve` members of a quarter as many groups. Throws bad_alloc.
  explicit group_store(std::size_t reserve = 0) : rosters_(3 * reserve / 8 + 1) {}
  // Makes a group with one reference. Throws bad_alloc.
  group_state& make();
  void drop_reference(group_state& group) noexcept {
    if (group.drop_reference()) take_back(group);
  }
  // Called for a member. Returns true if most have left and the driver has been asked to scan them, so the caller
  // rings.
  [[nodiscard]] bool leave(group_state& group) noexcept {
    const bool asked = group.has_left_traces() && request(group);
    if (group.leave()) take_back(group);
    return asked;
  }

  // Asks the driver to scan a group's members. Returns true if no thread had asked since the last scan. A caller that
  // needs the scan soon rings in either case, because the thread that asked first may not have rung.
  bool request(group_state& group) noexcept;

 private:
  friend class groups_end;

  void take_back(group_state& group) noexcept;

  base::atomic<bool> asked_{false};
  base::atomic<group_state*> requests_{nullptr};
  base::atomic<group_state*> returned_{nullptr};  // groups without a reference, linked
  std::mutex mutex_;
  std::vector<std::unique_ptr<group_state>> all_;
  roster_memory rosters_;
  group_state* unused_ = nullptr;  // taken out of returned_, linked
};

}  // namespace detent::detail
