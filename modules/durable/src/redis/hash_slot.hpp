// SPDX-License-Identifier: MIT
// Finds the one of a cluster's 16,384 slots that a key belongs to: CRC-16/XMODEM of its hash tag, as the cluster
// specification has it.
#pragma once

#include <cstdint>
#include <string_view>

namespace detent::durable::redis {

inline constexpr unsigned slots = 16384;

constexpr std::uint16_t hash_slot(std::string_view key) noexcept {
  const std::size_t open = key.find('{');
  if (open != std::string_view::npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != std::string_view::npos && close != open + 1) key = key.substr(open + 1, close - open - 1);
  }
  unsigned crc = 0;
  for (const char byte : key) {
    crc ^= static_cast<unsigned>(static_cast<unsigned char>(byte)) << 8;
    for (int bit = 0; bit != 8; ++bit) crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
    crc &= 0xffff;
  }
  return static_cast<std::uint16_t>(crc % slots);
}

static_assert(hash_slot("123456789") == 0x31c3);  // the check value that the specification gives
static_assert(hash_slot("{user1000}.following") == hash_slot("user1000"));

}  // namespace detent::durable::redis
