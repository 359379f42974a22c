// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace detent {

namespace detail {
class label_store;
}

// A name under which timers are counted apart: made by engine::make_label() and for that engine; copied at will. The
// default is none.
class label {
 public:
  constexpr label() noexcept = default;
  // Valid for ever; empty for none.
  constexpr std::string_view name() const noexcept { return name_; }
  friend bool operator==(const label&, const label&) = default;

 private:
  friend class detail::label_store;
  std::string_view name_ = {};
  std::uint64_t owner_ = 0;   // its engine's store of labels; no number comes twice
  std::uint32_t number_ = 0;  // in there, from 1 on
};

}  // namespace detent
