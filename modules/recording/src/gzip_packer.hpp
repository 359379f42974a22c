// SPDX-License-Identifier: MIT
// Packs the text of a recording whose name ends in .gz.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace detent::detail {

// The interface of libz.so.1, which is the same in all its versions. It is repeated here so that the library can be
// built without zlib.h.
struct zlib_stream {
  const unsigned char* next_in = nullptr;
  unsigned avail_in = 0;
  unsigned long total_in = 0;
  unsigned char* next_out = nullptr;
  unsigned avail_out = 0;
  unsigned long total_out = 0;
  const char* msg = nullptr;
  void* state = nullptr;
  void* (*zalloc)(void*, unsigned, unsigned) = nullptr;
  void (*zfree)(void*, void*) = nullptr;
  void* opaque = nullptr;
  int data_type = 0;
  unsigned long adler = 0;
  unsigned long reserved = 0;
};

// Packs by means of zlib, which is loaded when the first packer is made, so that the library does not depend on it.
class gzip_packer {
 public:
  // Returns null if there is no zlib; `why` then says so. Throws bad_alloc.
  static std::unique_ptr<gzip_packer> make(std::string& why, const char* library = "libz.so.1");
  ~gzip_packer();
  gzip_packer(const gzip_packer&) = delete;
  gzip_packer& operator=(const gzip_packer&) = delete;

  // Returns one whole gzip member for at most limits::recorded_text bytes of text; members in a row are a gzip file.
  // Valid until the next call. Allocates nothing.
  std::string_view pack(std::string_view text) noexcept;

 private:
  gzip_packer() = default;
  bool load(const char* library) noexcept;

  void* library_ = nullptr;
  // Functions of zlib:
  int (*deflate_init_)(zlib_stream*, int, int, int, int, int, const char*, int) = nullptr;
  unsigned long (*deflate_bound_)(zlib_stream*, unsigned long) = nullptr;
  int (*deflate_)(zlib_stream*, int) = nullptr;
  int (*deflate_reset_)(zlib_stream*) = nullptr;
  int (*deflate_end_)(zlib_stream*) = nullptr;
  zlib_stream stream_;
  std::size_t room_ = 0;
  std::unique_ptr<unsigned char[]> packed_;
};

}  // namespace detent::detail
