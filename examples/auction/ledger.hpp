// SPDX-License-Identifier: MIT
// Where sold goods are written down: a line for each auction, each once.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>

namespace auction {

// Knows each auction that it has taken, over restarts too: what a durable timer does twice, it takes once. By one
// thread.
class ledger {
 public:
  explicit ledger(const std::string& path) {
    std::ifstream earlier(path);
    for (std::string line; std::getline(earlier, line);) sold_.insert(line);
    fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd_ < 0) throw std::runtime_error(path + ": cannot be written");
  }
  ledger(const ledger&) = delete;
  ledger& operator=(const ledger&) = delete;
  ~ledger() { ::close(fd_); }

  // False: it was sold before. One write(), which a kill cannot cut in two.
  bool sell(std::string_view auction) {
    if (!sold_.insert(std::string(auction)).second) return false;
    const std::string line = std::string(auction) + '\n';
    if (::write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      throw std::runtime_error("the ledger cannot be written");
    return true;
  }
  std::size_t sold() const noexcept { return sold_.size(); }

 private:
  int fd_ = -1;
  std::unordered_set<std::string> sold_;
};

}  // namespace auction
