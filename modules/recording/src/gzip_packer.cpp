// SPDX-License-Identifier: MIT
#include "gzip_packer.hpp"

#include "recording_limits.hpp"

#include "platform/check.hpp"

#include <dlfcn.h>

#include <new>

namespace detent::detail {
namespace {

constexpr int z_ok = 0, z_stream_end = 1, z_finish = 4, z_deflated = 8, z_default_strategy = 0;
constexpr int fastest = 1;            // the writer must keep up with every thread that schedules
constexpr int gzip = 15 + 16;         // zlib's way of asking for a 32 KiB window and a gzip wrapper
constexpr int usual_memory = 8;       // takes 256 KiB
constexpr const char* version = "1";  // zlib compares the first character

template <class Function>
bool find(void* library, Function*& function, const char* name) noexcept {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

bool gzip_packer::load(const char* library) noexcept {
  library_ = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return library_ != nullptr && find(library_, deflate_init_, "deflateInit2_") &&
         find(library_, deflate_bound_, "deflateBound") && find(library_, deflate_, "deflate") &&
         find(library_, deflate_reset_, "deflateReset") && find(library_, deflate_end_, "deflateEnd");
}

gzip_packer::~gzip_packer() {
  if (room_ != 0) deflate_end_(&stream_);
  if (library_ != nullptr) ::dlclose(library_);
}

std::unique_ptr<gzip_packer> gzip_packer::make(std::string& why, const char* library) {
  std::unique_ptr<gzip_packer> made(new gzip_packer);
  if (!made->load(library)) {
    const char* const problem = ::dlerror();
    why = "a name that ends in .gz is packed by zlib, which cannot be loaded (";
    why += problem != nullptr ? problem : library;
    why += "); install zlib, or leave out the .gz";
    return nullptr;
  }
  if (made->deflate_init_(&made->stream_, fastest, z_deflated, gzip, usual_memory, z_default_strategy, version,
                          static_cast<int>(sizeof made->stream_)) != z_ok)
    throw std::bad_alloc();
  made->room_ = made->deflate_bound_(&made->stream_, limits::recorded_text);
  made->packed_.reset(new unsigned char[made->room_]);
  return made;
}

std::string_view gzip_packer::pack(std::string_view text) noexcept {
  DETENT_ASSERT(text.size() <= limits::recorded_text);
  stream_.next_in = reinterpret_cast<const unsigned char*>(text.data());
  stream_.avail_in = static_cast<unsigned>(text.size());
  stream_.next_out = packed_.get();
  stream_.avail_out = static_cast<unsigned>(room_);
  // The text fits, so one call ends it. The stream is fresh, so nothing else can go wrong.
  const bool whole = deflate_(&stream_, z_finish) == z_stream_end;
  const std::size_t bytes = room_ - stream_.avail_out;
  DETENT_CHECK(whole && deflate_reset_(&stream_) == z_ok);
  return {reinterpret_cast<const char*>(packed_.get()), bytes};
}

}  // namespace detent::detail
