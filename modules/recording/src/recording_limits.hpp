// SPDX-License-Identifier: MIT
// The private limits of a recording; the engine's limits.hpp says what such limits are.
#pragma once

#include <detent/base/limit.hpp>

#include <cstddef>
#include <cstdint>

namespace detent::detail::limits {

using base::limit;

// The number of operations that a recording holds until they are written, which take 4 MiB. Further ones are lost, and
// users see how many.
inline constexpr std::size_t recording_room = 65'536;
// The number of operations that are written between two lines about losses.
inline constexpr std::size_t operations_at_once = limit(4'096, 4);
// The number of restarts that may wait for their re-arming. If there are more, the re-armings were lost.
inline constexpr std::size_t waiting_restarts = limit(1'024, 4);
// Bytes of text that are packed and written at once. At least 160, because a row and two lines about losses must fit.
inline constexpr std::size_t recorded_text = limit(65'536, 160);
// The number of groups' members at which those whose end was lost are searched for.
inline constexpr std::size_t recorded_members = limit(1'024, 2);
// An operation is written to the file within this time. At the end, the writer waits for a place that was taken and is
// not filled: it looks every `recorder_pause` and gives up after `recorder_patience`.
inline constexpr std::int64_t recorder_looks = 100'000'000;
inline constexpr std::int64_t recorder_patience = 1'000'000'000, recorder_pause = 1'000'000;

}  // namespace detent::detail::limits
