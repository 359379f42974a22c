// SPDX-License-Identifier: MIT
// The memory that the threads of an execution share, and what they do to it by plain reads and writes. A byte knows
// which thread wrote it last and which have read it since, so that two accesses without order between them are found in
// whatever order they ran; and it knows whether it may be touched at all.
#pragma once

#include "clock.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace model {

class heap {
 public:
  static constexpr std::size_t capacity = 256 * 1024;
  static constexpr std::uint16_t no_location = UINT16_MAX;

  enum class state : std::uint8_t { nothing, live, freed, poisoned };
  struct byte {
    state is = state::nothing;
    thread_index writer = 0;
    moment written = 0;
    std::array<moment, max_threads> read{};
    std::uint16_t location = no_location;  // of the atomic that lies here
  };

  heap();

  // A new execution begins: everything is gone.
  void reset();
  // Zeroed. What is freed is never handed out again in the same execution. Null: too much for one execution.
  void* allocate(std::size_t bytes, std::size_t alignment, const char* label, thread_index by, moment at);
  // The complaint if it is nothing that can be freed. Else `bytes` is its size, and nothing in it is poisoned.
  std::string begin_free(void* memory, std::size_t& bytes);
  void end_free(void* memory, std::size_t bytes);
  // Nobody may touch these bytes until they are unpoisoned.
  void set_poisoned(const void* from, std::size_t bytes, bool poisoned);

  bool contains(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - memory_.get()) < used_;
  }
  byte& at(const void* address) { return bytes_[offset(address)]; }

  // The complaint about a plain access; empty if all is well.
  std::string read(const void* from, std::size_t bytes, thread_index by, const clock& ordered);
  std::string write(const void* from, std::size_t bytes, thread_index by, const clock& ordered);
  // The same for an atomic access, which does not conflict with other atomic ones.
  std::string read_atomically(const void* from, std::size_t bytes, const clock& ordered) const;
  std::string write_atomically(const void* from, std::size_t bytes, const clock& ordered) const;

  // "label+offset"; "label#2+offset" for the second of that label.
  std::string name(const void* address) const;
  // Names what was never freed; empty if there is nothing.
  std::string leaks() const;

 private:
  struct block {
    std::size_t begin, bytes;
    const char* label;
    bool freed;
  };

  std::size_t offset(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - memory_.get());
  }
  const block* around(const void* address) const;
  std::string complain(const char* what, const void* address, const clock& ordered) const;
  // Returns whether the last write of this byte comes before and, if asked for, so do the reads.
  static bool in_order(const byte& touched, const clock& ordered, bool reads_too);
  // Returns the complaint about the first byte that is not in order.
  std::string check(const char* what, const void* from, std::size_t bytes, const clock& ordered, bool reads_too) const;

  struct unmap {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte[], unmap> memory_;
  std::vector<byte> bytes_;
  std::vector<block> blocks_;
  std::size_t used_ = 0;
};

}  // namespace model
