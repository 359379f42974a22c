// SPDX-License-Identifier: MIT
#include "due_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <utility>

namespace detent::detail {
namespace {

constexpr std::uint32_t half_range = 1u << (state_word::order_bits - 1);
// Below this many, comparing is cheaper than counting digits.
constexpr std::size_t worth_counting = 256;
constexpr unsigned digit_bits = 8, digit_mask = (1u << digit_bits) - 1;
// So many are moved between two interludes.
constexpr std::size_t stretch = 4096;

// An object, not a function, so that the sort inlines it.
constexpr auto raw_before = [](const due_entry& a, const due_entry& b) noexcept {
  return a.deadline != b.deadline ? a.deadline < b.deadline : a.order < b.order;
};

// A batch's place on the line of time: (deadline, order) as one number, if the spans of both fit 64 bits together.
struct key_space {
  nanoseconds_t first_deadline;
  std::uint32_t first_order;
  unsigned order_bits;
  unsigned bits;

  explicit key_space(const std::vector<due_entry>& batch) noexcept {
    first_deadline = INT64_MAX;
    first_order = UINT32_MAX;
    nanoseconds_t last_deadline = INT64_MIN;
    std::uint32_t last_order = 0;
    for (const due_entry& each : batch) {
      first_deadline = std::min(first_deadline, each.deadline);
      last_deadline = std::max(last_deadline, each.deadline);
      first_order = std::min(first_order, each.order);
      last_order = std::max(last_order, each.order);
    }
    order_bits = static_cast<unsigned>(std::bit_width(last_order - first_order));
    // Unsigned: the span of two signed numbers may need 64 bits.
    auto span = static_cast<std::uint64_t>(last_deadline) - static_cast<std::uint64_t>(first_deadline);
    bits = order_bits + static_cast<unsigned>(std::bit_width(span));
  }
  std::uint64_t key(const due_entry& each) const noexcept {
    auto since = static_cast<std::uint64_t>(each.deadline) - static_cast<std::uint64_t>(first_deadline);
    return since << order_bits | (each.order - first_order);
  }
};

using digit_counts = std::array<std::uint32_t, digit_mask + 1>;

// Moves all entries to where their digit belongs, each keeping its place among its equals.
void move_by_digit(const std::vector<due_entry>& from, std::vector<due_entry>& to, const key_space& space,
                   unsigned shift, digit_counts& place, const interlude& between) noexcept {
  std::uint32_t begin = 0;
  for (std::uint32_t& count : place) begin += std::exchange(count, begin);
  for (std::size_t begun = 0; begun < from.size(); begun += stretch) {
    const std::size_t end = std::min(begun + stretch, from.size());
    for (std::size_t at = begun; at < end; ++at) to[place[space.key(from[at]) >> shift & digit_mask]++] = from[at];
    if (end != from.size()) between();
  }
}

// From the lowest digit to the highest, all of them counted in one go.
void sort_by_digits(std::vector<due_entry>& batch, std::vector<due_entry>& scratch, const key_space& space,
                    const interlude& between) noexcept {
  constexpr std::size_t most_digits = 64 / digit_bits;
  const std::size_t digits = (space.bits + digit_bits - 1) / digit_bits;
  std::array<digit_counts, most_digits> counts;
  std::fill_n(counts.begin(), digits, digit_counts{});
  for (const due_entry& each : batch) {
    std::uint64_t key = space.key(each);
    for (std::size_t digit = 0; digit < digits; ++digit, key >>= digit_bits) ++counts[digit][key & digit_mask];
  }
  scratch.resize(batch.size());  // within its capacity
  for (std::size_t digit = 0; digit < digits; ++digit) {
    const unsigned shift = static_cast<unsigned>(digit) * digit_bits;
    const std::uint64_t first = space.key(batch.front()) >> shift & digit_mask;
    if (counts[digit][first] == batch.size()) continue;  // the same in all
    move_by_digit(batch, scratch, space, shift, counts[digit], between);
    batch.swap(scratch);
  }
}

// Serial order is no order for sorting when several threads' counts lie around the circle. So a run of equal deadlines
// is sorted by plain value, and if it spans half the circle, begins anew behind its widest gap: where a count wrapped.
void unwrap(std::vector<due_entry>::iterator first, std::vector<due_entry>::iterator last) noexcept {
  if (std::prev(last)->order - first->order < half_range) return;
  auto widest = first;
  std::uint32_t gap = (first->order - std::prev(last)->order) & state_word::order_mask;
  for (auto each = std::next(first); each != last; ++each) {
    std::uint32_t width = each->order - std::prev(each)->order;
    if (width > gap) {
      gap = width;
      widest = each;
    }
  }
  std::rotate(first, widest, last);
}

bool make_room(std::vector<due_entry>& scratch, std::size_t entries) noexcept {
  try {
    scratch.reserve(entries);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// Whether there were enough to count, and memory for it.
bool sort_many(std::vector<due_entry>& batch, std::vector<due_entry>& scratch, const interlude& between) noexcept {
  if (batch.size() < worth_counting) return false;
  const key_space space(batch);
  if (space.bits > 64 || !make_room(scratch, batch.size())) return false;
  sort_by_digits(batch, scratch, space, between);
  return true;
}

}  // namespace

bool fires_before(const due_entry& a, const due_entry& b) noexcept {
  if (a.deadline != b.deadline) return a.deadline < b.deadline;
  return state_word::order_before(a.order, b.order);
}

void sort_due(std::vector<due_entry>& batch, std::vector<due_entry>& scratch, const interlude& between) noexcept {
  if (batch.size() < 2) return;
  if (!sort_many(batch, scratch, between)) std::sort(batch.begin(), batch.end(), raw_before);
  for (auto first = batch.begin(); first != batch.end();) {
    auto last = std::next(first);
    while (last != batch.end() && last->deadline == first->deadline) ++last;
    unwrap(first, last);
    first = last;
  }
}

}  // namespace detent::detail
