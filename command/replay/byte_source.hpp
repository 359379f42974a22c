// SPDX-License-Identifier: MIT
#pragma once
#include <zlib.h>

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace detent::tool {

// Thrown if the source becomes unreadable. what() is the reason; a caller that knows the place adds it.
class stream_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The bytes of a file, unpacked if it is gzipped, which its first two bytes show, not its name. Memory is two fixed
// buffers for any file. It is stricter than zlib's own reader: bytes after the last gzip member, and an end inside a
// member, are errors.
class byte_source {
 public:
  explicit byte_source(const std::string& path);  // throws input_error that names the path
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;
  ~byte_source();

  // Returns the next bytes, which are valid until the next call. At the end it returns none, and so does every later
  // call. Throws stream_error.
  std::span<const char> next();

 private:
  void refill();
  void detect_format();
  std::span<const char> unpack();

  int descriptor_;
  bool at_end_ = false;         // the file has no more bytes
  bool packed_ = false;         // gzipped
  bool inside_member_ = false;  // a member has begun, and its trailer was not checked yet
  z_stream zlib_ = {};
  std::vector<unsigned char> raw_;
  std::vector<unsigned char> unpacked_;
  std::span<unsigned char> unread_;  // of raw_
  bool format_known_ = false;
  std::string damage_;  // the error that next() throws after the bytes before it
};

}  // namespace detent::tool
