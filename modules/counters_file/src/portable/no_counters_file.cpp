// SPDX-License-Identifier: MIT
// There are no counters files on the portable ground: other processes could not map them.
#include "counters/counters_memory.hpp"

namespace detent::detail {
namespace {

class no_counters_file final : public counters_memory {
 public:
  explicit no_counters_file(const std::string& path) {
    problem_ =
        "counters_file = \"" + path + "\": not on the portable ground; docs/portability.md says which options it has";
    code_ = errc::invalid_option;
  }

 protected:
  bool make_room(std::size_t, std::size_t) noexcept override { return false; }
};

}  // namespace

std::unique_ptr<counters_memory> make_counters_file(const std::string& path) {
  return std::make_unique<no_counters_file>(path);
}

}  // namespace detent::detail
