// SPDX-License-Identifier: MIT
#include "text/gzip_text.hpp"

#include <zlib.h>

#include <new>

namespace detent::tool {
namespace {

constexpr int level = 3;         // higher levels take twice the time and save a twentieth of the size
constexpr int gzip_window = 31;  // 15 bits, plus 16 for gzip's header and trailer
constexpr int default_memory = 8;

}  // namespace

std::string gzip_of(std::string_view text) {
  z_stream stream = {};
  if (deflateInit2(&stream, level, Z_DEFLATED, gzip_window, default_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib only reads it
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int ended = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (ended != Z_STREAM_END) throw std::bad_alloc();
  return out;
}

}  // namespace detent::tool
