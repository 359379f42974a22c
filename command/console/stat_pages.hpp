// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <string>

#include "stat/series_names.hpp"

namespace detent::tool {

// The texts that `detent stat` prints for the engines in a directory. Both come from one reading, which serves for a
// second, or longer if a reading takes long, so that more requests cause no more readings. Belongs to one thread.
class stat_pages {
 public:
  explicit stat_pages(std::string directory);  // reads nothing yet

  const std::string& prometheus();
  const std::string& json();
  // Says why the last reading found no engine, one line for each reason. Empty if it found all.
  const std::string& trouble() const { return trouble_; }

 private:
  void read_again();

  const std::string directory_;
  series_names names_;
  std::string prometheus_, json_, trouble_;
  std::chrono::steady_clock::time_point serves_until_{};
};

}  // namespace detent::tool
