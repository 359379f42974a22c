// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <string>

namespace detent::tool {

// What `detent stat` prints of the engines in a directory. Both texts are of one reading, which serves for a second, or
// for longer where making it takes long: requests do not multiply what is read. For one thread.
class stat_pages {
 public:
  explicit stat_pages(std::string directory);  // reads nothing yet

  const std::string& prometheus();
  const std::string& json();

 private:
  void read_again();

  const std::string directory_;
  std::string prometheus_, json_;
  std::chrono::steady_clock::time_point serves_until_{};
};

}  // namespace detent::tool
