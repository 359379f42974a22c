// SPDX-License-Identifier: MIT
#pragma once

#include <detent/counters_layout.hpp>
#include <detent/error.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>

namespace detent::detail {

// Zeroed memory for an engine's counts, of this process alone. A module derives from it memory that is a file, which
// other processes read. Not for use by two threads at once.
class counters_memory {
 public:
  counters_memory() noexcept = default;
  counters_memory(const counters_memory&) = delete;
  counters_memory& operator=(const counters_memory&) = delete;
  virtual ~counters_memory();

  // Says what went wrong so far; empty if nothing did.
  const std::string& problem() const noexcept { return problem_; }
  errc code() const noexcept { return code_; }  // of problem()
  bool is_file() const noexcept { return file_ >= 0; }
  // Maps the bytes from `offset` on, in whole pages; no access to them can fail later. Returns null if there is no
  // memory or no room.
  std::byte* map(std::size_t offset, std::size_t bytes) noexcept;

  // --- Of a file

  // Which process writes it.
  virtual void describe(counters_layout::header&) const noexcept {}
  // Gives the file its name. If it returns false, problem() says why. Throws bad_alloc.
  virtual bool publish() { return true; }
  // Removes the file's name, if it is one that this object made.
  virtual void withdraw() noexcept {}
  // Called in the child of a fork: its writes are its own from now on, and the file is its parent's.
  virtual void make_private() noexcept {}

 protected:
  struct piece {
    std::byte* at;
    std::size_t offset;
    std::size_t bytes;
  };
  // Called before the bytes are mapped. Returns false if the file has no room for them.
  virtual bool make_room(std::size_t, std::size_t) noexcept { return true; }

  std::string problem_;
  errc code_{};
  int file_ = -1;
  std::array<piece, 256> pieces_{};
  std::size_t count_ = 0;
};

// Makes the memory of the file that engine_options::counters_file names, in the library's module `counters_file`. Its
// problem() says why the file system refuses it. Throws bad_alloc.
std::unique_ptr<counters_memory> make_counters_file(const std::string& path);
using counters_file_maker = std::unique_ptr<counters_memory> (*)(const std::string& path);

}  // namespace detent::detail
