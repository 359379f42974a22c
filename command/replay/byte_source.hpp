// SPDX-License-Identifier: MIT
#pragma once
#include <zlib.h>

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace detent::tool {

// The source turned out to be unreadable. what() is the reason, to which a caller adds the place if it knows it.
class stream_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The bytes of a file, unpacked where the file is gzipped (recognised by its first two bytes, not by its name). Memory
// is two fixed buffers for any file. Strict where zlib's own reader is lenient: bytes after the last gzip
// member are an error, and so is an end inside one.
class byte_source {
 public:
  explicit byte_source(const std::string& path);  // throws input_error that names the path
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;
  ~byte_source();

  // The next bytes, valid until the next call; empty at the end and from then on. Throws stream_error.
  std::span<const char> next();

 private:
  void refill();
  void detect_format();
  std::span<const char> unpack();

  int descriptor_;
  bool at_end_ = false;         // the descriptor has no more
  bool packed_ = false;         // gzip
  bool inside_member_ = false;  // a member has begun and its trailer has not been checked yet
  z_stream zlib_ = {};
  std::vector<unsigned char> raw_;
  std::vector<unsigned char> unpacked_;
  std::span<unsigned char> unread_;  // of raw_
  bool format_known_ = false;
  std::string damage_;  // what next() will throw, once it has handed out what came before
};

}  // namespace detent::tool
