// SPDX-License-Identifier: MIT
#include "wheel/due_sort.hpp"

#include <detent/base/compiler.hpp>

#include "limits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <new>
#include <utility>

namespace detent::detail {
namespace {

constexpr std::uint32_t half_range = 1u << (state_word::order_bits - 1);
constexpr unsigned digit_mask = (1u << limits::digit_bits) - 1;

// An object, not a function, so that the sort inlines it.
constexpr auto raw_before = [](const due_entry& a, const due_entry& b) noexcept {
  return a.deadline != b.deadline ? a.deadline < b.deadline : a.order < b.order;
};

// The part of the key that a pass of the sort goes by.
enum class key_part : std::uint8_t { order, deadline };

// A batch's place on the line of time.
struct key_space {
  nanoseconds_t first_deadline = INT64_MAX;
  std::uint32_t first_order = UINT32_MAX;
  unsigned order_bits = 0, deadline_bits = 0;

  key_space(const std::vector<due_entry>& batch, const interlude& between) noexcept {
    nanoseconds_t last_deadline = INT64_MIN;
    std::uint32_t last_order = 0;
    const due_entry* const entries = batch.data();
    in_stretches(batch.size(), between, [&](std::size_t begin, std::size_t end) noexcept {
      for (const due_entry* each = entries + begin; each != entries + end; ++each) {
        first_deadline = std::min(first_deadline, each->deadline);
        last_deadline = std::max(last_deadline, each->deadline);
        first_order = std::min(first_order, each->order);
        last_order = std::max(last_order, each->order);
      }
    });
    order_bits = static_cast<unsigned>(std::bit_width(last_order - first_order));
    // Unsigned: the span of two signed numbers may need 64 bits.
    auto span = static_cast<std::uint64_t>(last_deadline) - static_cast<std::uint64_t>(first_deadline);
    deadline_bits = static_cast<unsigned>(std::bit_width(span));
  }
  template <key_part Part>
  unsigned bits() const noexcept {
    return Part == key_part::order ? order_bits : deadline_bits;
  }
  template <key_part Part>
  std::uint64_t key(const due_entry& each) const noexcept {
    if constexpr (Part == key_part::order) return each.order - first_order;
    return static_cast<std::uint64_t>(each.deadline) - static_cast<std::uint64_t>(first_deadline);
  }
};

using digit_counts = std::array<std::uint32_t, digit_mask + 1>;

// Moves all entries to where their digit belongs, each keeping its place among its equals.
template <key_part Part>
void move_by_digit(const std::vector<due_entry>& from, std::vector<due_entry>& to, const key_space& space,
                   unsigned shift, digit_counts& place, const interlude& between) noexcept {
  std::uint32_t first = 0;
  for (std::uint32_t& count : place) first += std::exchange(count, first);
  const due_entry* const entries = from.data();
  due_entry* const moved = to.data();
  in_stretches(from.size(), between, [=, &place](std::size_t begin, std::size_t end) noexcept {
    for (const due_entry* each = entries + begin; each != entries + end; ++each)
      moved[place[space.key<Part>(*each) >> shift & digit_mask]++] = *each;
  });
}

// Sorts from the lowest digit to the highest, after counting all of them at once. `scratch` is as large as the batch.
template <key_part Part>
void sort_by_digits(std::vector<due_entry>& batch, std::vector<due_entry>& scratch, const key_space& space,
                    const interlude& between) noexcept {
  constexpr std::size_t most_digits = (64 + limits::digit_bits - 1) / limits::digit_bits;
  const std::size_t digits = (space.bits<Part>() + limits::digit_bits - 1) / limits::digit_bits;
  std::array<digit_counts, most_digits> counts;
  std::fill_n(counts.begin(), digits, digit_counts{});
  const due_entry* const entries = batch.data();
  in_stretches(batch.size(), between, [=, &counts](std::size_t begin, std::size_t end) noexcept {
    for (const due_entry* each = entries + begin; each != entries + end; ++each) {
      std::uint64_t key = space.key<Part>(*each);
      for (std::size_t digit = 0; digit < digits; ++digit, key >>= limits::digit_bits)
        ++counts[digit][key & digit_mask];
    }
  });
  for (std::size_t digit = 0; digit < digits; ++digit) {
    const unsigned shift = static_cast<unsigned>(digit) * limits::digit_bits;
    const std::uint64_t first = space.key<Part>(batch.front()) >> shift & digit_mask;
    if (counts[digit][first] == batch.size()) continue;  // the same in all
    between();
    move_by_digit<Part>(batch, scratch, space, shift, counts[digit], between);
    batch.swap(scratch);
  }
}

using entry_at = std::vector<due_entry>::iterator;

void reverse(entry_at first, entry_at last, const interlude& between) noexcept {
  const auto pairs = static_cast<std::size_t>(last - first) / 2;
  in_stretches(pairs, between, [&](std::size_t begin, std::size_t end) noexcept {
    const auto from = static_cast<std::ptrdiff_t>(begin), to = static_cast<std::ptrdiff_t>(end);
    std::swap_ranges(first + from, first + to, std::make_reverse_iterator(last - from));
  });
}

// Serial order is no order for sorting when several threads' counts lie around the circle. So a run of equal deadlines
// is sorted by plain value, and if it spans half the circle, begins again after its widest gap: where a count wrapped.
bool has_wrapped(entry_at first, entry_at last) noexcept { return std::prev(last)->order - first->order >= half_range; }

DETENT_NOINLINE DETENT_COLD void unwrap(entry_at first, entry_at last, const interlude& between) noexcept {
  auto widest = first;
  std::uint32_t gap = (first->order - std::prev(last)->order) & state_word::order_mask;
  in_stretches(static_cast<std::size_t>(last - first) - 1, between, [&](std::size_t begin, std::size_t end) noexcept {
    for (auto each = first + static_cast<std::ptrdiff_t>(begin) + 1; begin != end; ++begin, ++each) {
      const std::uint32_t width = each->order - std::prev(each)->order;
      if (width > gap) {
        gap = width;
        widest = each;
      }
    }
  });
  if (widest == first) return;
  // A rotation, by three reversals: in place, and in stretches.
  reverse(first, widest, between);
  reverse(widest, last, between);
  reverse(first, last, between);
}

bool make_room(std::vector<due_entry>& scratch, std::size_t entries) noexcept {
  try {
    scratch.reserve(entries);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

bool are_equals_in_order(const std::vector<due_entry>& batch, const interlude& between) noexcept {
  bool in_order = true;
  in_stretches(batch.size() - 1, between, [&](std::size_t begin, std::size_t end) noexcept {
    for (const due_entry* each = &batch[begin]; begin != end; ++begin, ++each)
      in_order &= each[0].deadline != each[1].deadline || each[0].order < each[1].order;
  });
  return in_order;
}

// Returns whether each is due after the one before it, as timers of one delay are that leave a wheel in the order of
// their arming. Others are soon found not to be.
bool are_rising(const std::vector<due_entry>& batch, const interlude& between) noexcept {
  const due_entry* each = batch.data();
  for (const due_entry* const last = &batch.back();; between()) {
    const due_entry* const end = each + std::min(limits::stretch, static_cast<std::size_t>(last - each));
    for (; each != end; ++each) {
      if (each[0].deadline >= each[1].deadline) return false;
    }
    if (each == last) return true;
  }
}

// Returns whether there were enough to count, and memory for it.
bool sort_many(std::vector<due_entry>& batch, std::vector<due_entry>& scratch, const interlude& between) noexcept {
  if (batch.size() < limits::worth_counting || !make_room(scratch, batch.size())) return false;
  // Within its capacity, and not in one go, as it may be the first to touch that.
  scratch.clear();
  in_stretches(batch.size(), between, [&](std::size_t, std::size_t end) noexcept { scratch.resize(end); });
  const key_space space(batch, between);
  sort_by_digits<key_part::deadline>(batch, scratch, space, between);
  // The sort is stable, and what came out of a wheel in the order of its arming needs no more.
  if (are_equals_in_order(batch, between)) return true;
  sort_by_digits<key_part::order>(batch, scratch, space, between);
  sort_by_digits<key_part::deadline>(batch, scratch, space, between);
  return true;
}

}  // namespace

bool fires_before(const due_entry& a, const due_entry& b) noexcept {
  if (a.deadline != b.deadline) return a.deadline < b.deadline;
  return state_word::order_before(a.order, b.order);
}

void sort_due(std::vector<due_entry>& batch, std::vector<due_entry>& scratch, const interlude& between) noexcept {
  if (batch.size() < 2 || are_rising(batch, between)) return;
  if (!sort_many(batch, scratch, between)) std::sort(batch.begin(), batch.end(), raw_before);
  auto run = batch.begin();  // of equal deadlines
  in_stretches(batch.size(), between, [&](std::size_t at, std::size_t end) noexcept {
    for (; at != end; ++at) {
      const auto each = batch.begin() + static_cast<std::ptrdiff_t>(at);
      if (each->deadline == run->deadline) continue;
      if (has_wrapped(run, each)) unwrap(run, each, between);
      run = each;
    }
  });
  if (has_wrapped(run, batch.end())) unwrap(run, batch.end(), between);
}

}  // namespace detent::detail
