// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "console/kept_sample.hpp"

namespace detent::tool {

// The long history in a file, used by one console at a time. Each engine has its own place, with a record of 64 bytes
// for each step; a new record overwrites the oldest. Places that were never used take no room on the disk. Each record
// has its own checksum, so that an interrupted write costs one step of one engine. Nothing is forced to the disk,
// because that would cost more than a step is worth. Used by one thread at a time.
class history_file {
 public:
  // The contents of a place.
  struct contents {
    kept_engine engine;
    std::vector<kept_sample> samples;  // by time
  };

  // Makes the file if it does not exist. A file with another version of the format, another length or a damaged head is
  // started over, and note() says so. Throws input_error, which begins with `option`, if the file has other contents,
  // if another console uses it, or if it cannot be opened.
  history_file(std::string option, const std::string& path, std::chrono::microseconds length);
  history_file(const history_file&) = delete;
  history_file& operator=(const history_file&) = delete;
  ~history_file();

  // Says in one line why the file was started over. Empty if it was not.
  const std::string& note() const { return note_; }
  // Returns the contents by place. A place without an engine has no id. Samples from the future or from before `length`
  // ago are left out, and so is everything that is damaged.
  std::vector<contents> read(console_time now) const;
  // Throws input_error. The next call then tries again to write what is missing.
  void write(std::size_t place, const kept_engine& engine, const kept_sample& sample);

 private:
  void lock();
  void take_over();
  void start_over(const std::string& why);
  void put(const void* bytes, std::size_t count, std::size_t offset) const;
  bool get(void* into, std::size_t count, std::size_t offset) const;

  const std::string option_, path_;
  const std::chrono::microseconds length_;
  int descriptor_ = -1;
  std::string note_;
  std::array<std::uint64_t, most_kept> entered_{};  // engines whose names are in the file, by place; 0 if none is
};

}  // namespace detent::tool
