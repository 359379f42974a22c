// SPDX-License-Identifier: MIT
#include "counters/counters_identity.hpp"

#include <cstring>

#include "host/name_spaces.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {

using counters_layout::header;

std::int64_t in_own_time(const header& header, std::int64_t time) {
  // Offsets are near zero, because check_header() refuses others; but a damaged file may give any time.
  std::int64_t sum = 0;
  const std::int64_t ahead = own_name_spaces().monotonic_offset - header.monotonic_offset;
  return __builtin_add_overflow(time, ahead, &sum) ? time : sum;
}

std::string printable_name(const char* text, std::size_t most) { return printable({text, ::strnlen(text, most)}); }

engine_identity identity_in(const header& from, const std::string& path) {
  constexpr const char* wheels[] = {"hierarchical", "hashed"};
  constexpr const char* waits[] = {"busy", "hybrid", "sleep"};
  constexpr const char* drives[] = {"worker", "caller"};
  constexpr const char* clocks[] = {"steady", "tsc", "manual"};
  const name_spaces& own = own_name_spaces();
  return {
      .path = path,
      .name = printable_name(from.name, sizeof from.name),
      .instance = printable_name(from.instance, sizeof from.instance),
      .process = from.process,
      .process_namespace = from.process_namespace,
      .process_start = from.process_start,
      .same_processes = from.process_namespace == 0 || own.processes == 0 || from.process_namespace == own.processes,
      .same_starts = from.since_boot_offset == own.since_boot_offset,
      .made_at = in_own_time(from, from.made_at),
      .worker_thread = from.worker_thread,
      .tick = from.tick,
      .max_spin = from.max_spin,
      .capacity = from.capacity,
      .wheel = wheels[from.wheel],
      .wait = waits[from.wait],
      .drive = drives[from.drive],
      .clock = clocks[from.clock],
      .clock_reason = counters_layout::text_of(counters_layout::clock_reason{from.clock_reason}),
      .set = from.set,
      .shard = from.shard,
      .shards = from.shards};
}

}  // namespace detent::tool
