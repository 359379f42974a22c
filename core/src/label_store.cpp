// SPDX-License-Identifier: MIT
#include "label_store.hpp"

#include <functional>
#include <set>
#include <string>

namespace detent::detail {
namespace {

// A copy of the name that stays for ever, one for all engines.
std::string_view kept(std::string_view name) {
  static std::mutex mutex;
  static auto& names = *new std::set<std::string, std::less<>>;  // never destroyed: labels outlive everything
  std::lock_guard lock(mutex);
  auto found = names.find(name);
  return found != names.end() ? *found : *names.emplace(name).first;
}

}  // namespace

errc label_store::make(std::string_view name, label& made) {
  if (name.empty() || name.size() >= counters_layout::label_name_bytes) return errc::invalid_option;
  std::lock_guard lock(mutex_);
  for (std::uint16_t i = 0; i < count_; ++i) {
    if (labels_[i].name() != name) continue;
    made = labels_[i];
    return errc{};
  }
  if (count_ == labels_.size()) return errc::capacity_exceeded;
  const std::string_view name_kept = kept(name);
  label_block* const block = counts_.add_label(name);
  if (block == nullptr) return errc::out_of_memory;
  label& next = labels_[count_];
  next.name_ = name_kept;
  next.owner_ = &owner_;
  next.number_ = count_ + 1u;
  blocks_[count_++].store(block, base::release);  // (2) release: pairs with (1)
  made = next;
  return errc{};
}

label label_store::named(std::uint16_t number) const noexcept {
  return find(number) == nullptr ? label() : labels_[number - 1u];  // written before its block was to be found
}

label label_store::named(const label_block* block) const noexcept {
  if (block == nullptr) return {};
  std::uint16_t number = 1;
  while (find(number) != block) ++number;  // it is one of these
  return named(number);
}

}  // namespace detent::detail
