// SPDX-License-Identifier: MIT
// command/tests/record_test.py checks that the packed text can be unpacked.
#include "../src/gzip_packer.hpp"

#include "../src/recording_limits.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace detent::detail {
namespace {

TEST(GzipPacker, WithoutZlibSaysWhatIsMissingAndTheCure) {
  std::string why;
  EXPECT_EQ(gzip_packer::make(why, "libno-such.so.1"), nullptr);
  EXPECT_TRUE(why.starts_with("a name that ends in .gz is packed by zlib, which cannot be loaded (libno-such.so.1: "))
      << why;
  EXPECT_TRUE(why.ends_with("); install zlib, or leave out the .gz")) << why;
  EXPECT_EQ(gzip_packer::make(why, "libc.so.6"), nullptr);  // it loads, but is another library
}

TEST(GzipPacker, MakesAWholeMemberOfEachTextHoweverLittleItShrinks) {
  std::string why;
  const auto packer = gzip_packer::make(why);
  ASSERT_NE(packer, nullptr) << why;
  std::string noise(limits::recorded_text, '\0');
  std::uint32_t state = 1;
  for (char& each : noise) each = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  const std::string same(limits::recorded_text, 'x');
  for (const std::string& text : {std::string("5,C,1,,cancel\n"), noise, same, noise, std::string()}) {
    const std::string packed(packer->pack(text));
    ASSERT_GE(packed.size(), 18u);
    EXPECT_EQ(packed.substr(0, 3), "\x1f\x8b\x08");
    std::uint32_t length = 0;  // the last four bytes, lowest first
    for (std::size_t i = 0; i < 4; ++i)
      length |= std::uint32_t{static_cast<unsigned char>(packed[packed.size() - 4 + i])} << (8 * i);
    EXPECT_EQ(length, text.size());
  }
}

}  // namespace
}  // namespace detent::detail
