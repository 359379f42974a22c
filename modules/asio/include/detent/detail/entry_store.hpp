// SPDX-License-Identifier: MIT
// The blocks in which the entries of an inbox live, and which of them are in use. One thread at a time.
#pragma once

#include <detent/detail/inbox_entry.hpp>
#include <detent/detail/stoppable.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace detent::detail {

// Blocks that entries have left are kept for others, as many as were ever in use at once. So a steady state allocates
// nothing, and only the context's own threads allocate and free.
class entry_store {
 public:
  entry_store() = default;
  entry_store(const entry_store&) = delete;
  entry_store& operator=(const entry_store&) = delete;
  ~entry_store() {
    for (free_block* each : free_blocks_) {
      while (each != nullptr) ::operator delete(std::exchange(each, each->next), std::align_val_t(block_step));
    }
  }

  // Returns a block that is to become an entry, and holds the engine's core for it. If it throws bad_alloc, it has
  // changed nothing.
  std::pair<inbox_place, void*> take(context_inbox& in, std::size_t size, engine_core& engine) {
    inbox_place made{&in, 0, 0, static_cast<std::uint16_t>((size + block_step - 1) / block_step)};
    made.engine = user_of(engine);
    made.slot = first_free_slot();
    void* const block = take_block(made.size);
    free_slot_ = std::exchange(slots_[made.slot], reinterpret_cast<std::uintptr_t>(block));
    if (users_[made.engine].entries++ == 0) add_reference(engine);
    ++entries_;
    return {made, block};
  }
  // Returns an engine's core that no entry needs any more, with its reference; or null.
  engine_core* give_back(const inbox_place& place, void* block) noexcept {
    keep_block(place.size, block);
    slots_[place.slot] = std::exchange(free_slot_, link_to(place.slot));
    --entries_;
    user& of = users_[place.engine];
    return --of.entries == 0 ? std::exchange(of.core, nullptr) : nullptr;
  }

  std::size_t entries() const noexcept { return entries_; }
  // The number of entries has never exceeded this. The next take() keeps it so if there is a free slot.
  std::size_t slots() const noexcept { return slots_.size(); }
  bool has_free_slot() const noexcept { return free_slot_ != no_slot; }
  // Returns null if the slot is not in use.
  inbox_entry* in_slot(std::size_t at) const noexcept {
    return (slots_[at] & 1) != 0 ? nullptr : reinterpret_cast<inbox_entry*>(slots_[at]);
  }

 private:
  struct user {
    engine_core* core = nullptr;  // a counted reference, while there are entries
    std::size_t entries = 0;
  };
  struct free_block {
    free_block* next;
  };
  static constexpr std::size_t block_step = 64;  // a cache line
  static constexpr std::size_t block_sizes = 9;  // blocks of up to 512 bytes are kept
  static constexpr std::uintptr_t no_slot = 1;

  static std::uintptr_t link_to(std::size_t slot) noexcept { return (std::uintptr_t{slot} + 1) << 1 | 1; }

  std::uint16_t user_of(engine_core& core) {
    const auto find = [&](auto&& suits) {
      return static_cast<std::size_t>(std::find_if(users_.begin(), users_.end(), suits) - users_.begin());
    };
    std::size_t at = find([&](const user& each) { return each.core == &core; });
    if (at == users_.size()) at = find([](const user& each) { return each.entries == 0; });
    if (at > UINT16_MAX) throw std::bad_alloc();
    if (at == users_.size()) users_.emplace_back();
    users_[at].core = &core;
    return static_cast<std::uint16_t>(at);
  }
  std::uint32_t first_free_slot() {
    if (!has_free_slot()) {
      slots_.push_back(no_slot);
      free_slot_ = link_to(slots_.size() - 1);
    }
    return static_cast<std::uint32_t>((free_slot_ >> 1) - 1);
  }
  void* take_block(std::uint16_t size) {
    if (size < block_sizes && free_blocks_[size] != nullptr)
      return std::exchange(free_blocks_[size], free_blocks_[size]->next);
    return ::operator new(size* block_step, std::align_val_t(block_step));
  }
  void keep_block(std::uint16_t size, void* block) noexcept {
    if (size >= block_sizes) return ::operator delete(block, std::align_val_t(block_step));
    free_blocks_[size] = ::new (block) free_block{free_blocks_[size]};
  }

  std::vector<std::uintptr_t> slots_;   // an entry's address, or an odd link to the next free slot
  std::uintptr_t free_slot_ = no_slot;  // the link to the first one
  std::vector<user> users_;
  std::array<free_block*, block_sizes> free_blocks_{};
  std::size_t entries_ = 0;
};

}  // namespace detent::detail
