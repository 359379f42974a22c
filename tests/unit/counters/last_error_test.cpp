// SPDX-License-Identifier: MIT
#include "counters/last_error.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace detent::detail {
namespace {

TEST(LastError, IsTheLastOneCutToItsRoom) {
  last_error error;
  EXPECT_EQ(error.read().text, "");
  const std::string longest(last_error::most_bytes, 'x');
  for (const std::string& text : {std::string("a long one, of several words"), std::string("short"), longest,
                                  std::string("12345678"), std::string()}) {
    error.write(text.c_str(), 7);
    EXPECT_EQ(error.read().text, text);
    EXPECT_EQ(error.read().at, to_time(7));
  }
  error.write((longest + "and more").c_str(), 8);
  EXPECT_EQ(error.read().text, longest);
}

TEST(LastError, IsReadWholeWhileOthersWrite) {
  last_error error;
  constexpr int writers = 3, texts = 20'000;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer) {
    threads.emplace_back([&error, writer] {
      for (int i = 0; i < texts; ++i)
        error.write(
            std::string(static_cast<std::size_t>(1 + (i * 37 + writer) % 239), static_cast<char>('a' + writer)).c_str(),
            writer);
    });
  }
  for (int i = 0; i < texts; ++i) {
    const error_report found = error.read();
    if (found.text.empty()) continue;
    EXPECT_EQ(found.text, std::string(found.text.size(), found.text[0]));
    EXPECT_EQ(found.at, to_time(found.text[0] - 'a'));
  }
  for (std::thread& each : threads) each.join();
  EXPECT_NE(error.read().text, "");
}

}  // namespace
}  // namespace detent::detail
