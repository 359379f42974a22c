// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace detent {

namespace detail {
class label_store;
}

// A name under which timers are counted apart. engine::make_label() makes it, for that engine. It may be copied freely.
// The default is none.
class label {
 public:
  constexpr label() noexcept = default;
  // Valid for ever; empty for no label.
  constexpr std::string_view name() const noexcept { return name_; }
  friend bool operator==(const label&, const label&) = default;

 private:
  friend class detail::label_store;
  std::string_view name_ = {};
  std::uint64_t owner_ = 0;   // the number of its engine's store of labels; none comes twice
  std::uint32_t number_ = 0;  // in that store, from 1 on
};

}  // namespace detent
