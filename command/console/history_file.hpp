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

// The long history in a file, which one console at a time has. Each engine has a place of its own in it, with a record
// of 64 bytes for each step, the oldest of which gives way to the latest; places that were never used take no room on
// the disk. Each record has its own checksum, so that a write that was cut costs one step of one engine. Nothing is
// forced to the disk: that would cost more than a step is worth. One thread at a time.
class history_file {
 public:
  // What a place has.
  struct contents {
    kept_engine engine;
    std::vector<kept_sample> samples;  // by time
  };

  // Makes the file if it is not there. One of another version of the format, of another length or with a damaged head
  // is started over, and note() says so. Throws input_error, which begins with `option`, where the file has something
  // else in it, another console has it, or it cannot be opened.
  history_file(std::string option, const std::string& path, std::chrono::microseconds length);
  history_file(const history_file&) = delete;
  history_file& operator=(const history_file&) = delete;
  ~history_file();

  // Why the file was started over, in one line. Empty if it was not.
  const std::string& note() const { return note_; }
  // By place. A place without an engine has no id. Samples of the future or from before `length` ago are left out, and
  // so is all that is damaged.
  std::vector<contents> read(console_time now) const;
  // Throws input_error; the next call tries again what is missing.
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
  std::array<std::uint64_t, most_kept> entered_{};  // whose names the places have in the file; 0: none yet
};

}  // namespace detent::tool
