// SPDX-License-Identifier: MIT
#include "counters/label_store.hpp"

#include "platform/static_mutex.hpp"

#include <functional>
#include <new>
#include <set>
#include <string>

namespace detent::detail {
namespace {

constinit static_mutex names_mutex;

// A copy of the name that stays for ever, one for all engines.
std::string_view kept(std::string_view name) {
  std::lock_guard lock(names_mutex);  // first: a child forked while another thread makes the set would wait for it
  static auto& names = *new std::set<std::string, std::less<>>;  // never destroyed: labels outlive everything
  auto found = names.find(name);
  return found != names.end() ? *found : *names.emplace(name).first;
}

std::uint64_t next_id() noexcept {
  static base::atomic<std::uint64_t> issued{0};
  return issued.fetch_add(1, base::relaxed) + 1;  // relaxed: must only be unique
}

}  // namespace

label_store::label_store(counters_block& counts, std::uint32_t set) noexcept
    : id_(next_id()), set_owner_(owner_of(set)), counts_(counts) {}

void label_store::before_fork() noexcept { names_mutex.lock(); }
void label_store::after_fork() noexcept { names_mutex.unlock(); }

label label_store::of_set(std::uint32_t set, std::uint32_t number, std::string_view name) {
  label made;
  made.name_ = kept(name);
  made.owner_ = owner_of(set);
  made.number_ = number;
  return made;
}

errc label_store::share(const label& shared, std::string& why) {
  label made;
  return make(shared.name(), &shared, made, why);
}

// `shared`: becomes known as this one, and is what a new one is called to others; null: it is the engine's own.
errc label_store::make(std::string_view name, const label* shared, label& made, std::string& why) {
  if (name.empty() || name.size() >= counters_layout::label_name_bytes) return errc::invalid_option;
  std::lock_guard lock(mutex_);
  const auto note_shared = [&](std::uint16_t number) {
    if (shared != nullptr) of_set_[shared->number_ - 1u].store(number, base::release);  // (4) release: pairs with (3)
  };
  for (std::uint16_t i = 0; i < count_; ++i) {
    if (labels_[i].name() != name) continue;
    made = labels_[i];
    note_shared(static_cast<std::uint16_t>(i + 1));
    return errc{};
  }
  if (count_ == labels_.size()) return errc::capacity_exceeded;
  std::string_view name_kept;
  try {
    name_kept = kept(name);
  } catch (const std::bad_alloc&) {
    return errc::out_of_memory;
  }
  label_block* const block = counts_.add_label(name);
  if (block == nullptr) return counts_.refusal(why);
  label& next = labels_[count_];
  next.name_ = name_kept;
  next.owner_ = id_;
  next.number_ = count_ + 1u;
  if (shared != nullptr) next = *shared;
  made = next;
  base::show_release(&next);
  blocks_[count_++].store(block, base::release);  // (2) release: pairs with (1)
  note_shared(count_);
  return errc{};
}

label label_store::named(std::uint16_t number) const noexcept {
  if (find(number) == nullptr) return {};
  const label& found = labels_[number - 1u];  // written before its block was to be found
  base::show_acquire(&found);
  return found;
}

label label_store::named(const label_block* block) const noexcept {
  if (block == nullptr) return {};
  std::uint16_t number = 1;
  while (find(number) != block) ++number;  // it is one of these
  return named(number);
}

}  // namespace detent::detail
