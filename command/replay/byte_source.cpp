// SPDX-License-Identifier: MIT
#include "replay/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "text/input_error.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 16;
constexpr int gzip_only = 15 + 16;  // asks zlib for a 32 KiB window and a gzip wrapper

std::span<const char> as_chars(std::span<const unsigned char> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

byte_source::byte_source(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), raw_(buffer_bytes), unpacked_(buffer_bytes) {
  if (descriptor_ < 0)
    throw input_error(fmt::format("{}: cannot be opened: {}", printable(path), std::strerror(errno)));
}

byte_source::~byte_source() {
  if (packed_) inflateEnd(&zlib_);
  ::close(descriptor_);
}

void byte_source::refill() {
  if (!unread_.empty() && unread_.data() != raw_.data()) std::memmove(raw_.data(), unread_.data(), unread_.size());
  const std::size_t kept = unread_.size();
  ssize_t got = 0;
  do {
    got = ::read(descriptor_, raw_.data() + kept, raw_.size() - kept);
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw stream_error(fmt::format("cannot be read: {}", std::strerror(errno)));
  at_end_ = got == 0;
  unread_ = {raw_.data(), kept + static_cast<std::size_t>(got)};
}

void byte_source::detect_format() {
  while (unread_.size() < 2 && !at_end_) refill();
  format_known_ = true;
  if (unread_.size() < 2 || unread_[0] != 0x1f || unread_[1] != 0x8b) return;
  if (inflateInit2(&zlib_, gzip_only) != Z_OK) throw std::bad_alloc();
  packed_ = true;
  inside_member_ = true;
}

std::span<const char> byte_source::next() {
  if (!format_known_) detect_format();
  if (packed_) return unpack();
  if (unread_.empty() && !at_end_) refill();
  const std::span<unsigned char> bytes = unread_;
  unread_ = {};
  return as_chars(bytes);
}

std::span<const char> byte_source::unpack() {
  if (!damage_.empty()) throw stream_error(damage_);
  zlib_.next_out = unpacked_.data();
  zlib_.avail_out = static_cast<uInt>(unpacked_.size());
  while (zlib_.avail_out == unpacked_.size()) {
    if (unread_.empty() && !at_end_) refill();
    if (unread_.empty()) {
      if (inside_member_) throw stream_error("the gzip data is cut short");
      return {};
    }
    if (!inside_member_) {
      if (unread_[0] != 0x1f) throw stream_error("bytes that are not gzip data follow its end");
      inflateReset(&zlib_);
      inside_member_ = true;
    }
    zlib_.next_in = unread_.data();
    zlib_.avail_in = static_cast<uInt>(unread_.size());
    const int answer = inflate(&zlib_, Z_NO_FLUSH);
    unread_ = unread_.last(zlib_.avail_in);
    if (answer == Z_MEM_ERROR) throw std::bad_alloc();
    if (answer == Z_STREAM_END) {
      inside_member_ = false;
    } else if (answer != Z_OK) {
      damage_ = fmt::format("the gzip data is damaged: {}", zlib_.msg != nullptr ? zlib_.msg : "no reason given");
      break;  // the data unpacked before it still count
    }
  }
  if (zlib_.avail_out == unpacked_.size()) throw stream_error(damage_);
  return as_chars({unpacked_.data(), unpacked_.size() - zlib_.avail_out});
}

}  // namespace detent::tool
