// SPDX-License-Identifier: MIT
// A socket between a store and its server, which can lose an answer: what was asked is carried out, and the connection
// ends.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace detent::test {

class deaf_link {
 public:
  // `directory`: of the server's socket.
  explicit deaf_link(const std::string& directory)
      : to_(directory + "/.s.PGSQL.5432"), stop_(::eventfd(0, EFD_CLOEXEC)) {
    std::string name = "/tmp/detent-link-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    directory_ = name;
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un at = address(directory_ + "/.s.PGSQL.5432");
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 || ::listen(listener_, 8) != 0)
      throw std::runtime_error("no socket in " + directory_);
    thread_ = std::thread([this] { run(); });
  }
  deaf_link(const deaf_link&) = delete;
  deaf_link& operator=(const deaf_link&) = delete;
  ~deaf_link() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(stop_, &one, sizeof one);
    thread_.join();
    for (const auto& [client, server] : pairs_) close_both(client, server);
    ::close(listener_);
    ::close(stop_);
    ::unlink((directory_ + "/.s.PGSQL.5432").c_str());
    ::rmdir(directory_.c_str());
  }

  const std::string& directory() const noexcept { return directory_; }
  void lose_next_answer() noexcept { loses_ = true; }

 private:
  static sockaddr_un address(const std::string& path) {
    sockaddr_un out{};
    out.sun_family = AF_UNIX;
    std::strncpy(out.sun_path, path.c_str(), sizeof out.sun_path - 1);
    return out;
  }
  static void close_both(int client, int server) {
    ::close(client);
    ::close(server);
  }

  void run() {
    for (;;) {
      std::vector<pollfd> all = {{stop_, POLLIN, 0}, {listener_, POLLIN, 0}};
      for (const auto& [client, server] : pairs_) {
        all.push_back({client, POLLIN, 0});
        all.push_back({server, POLLIN, 0});
      }
      ::poll(all.data(), all.size(), -1);
      if (all[0].revents != 0) return;
      std::vector<std::pair<int, int>> left;
      for (std::size_t i = 0; i != pairs_.size(); ++i) {
        const auto [client, server] = pairs_[i];
        const bool ok = (all[2 + 2 * i].revents == 0 || pass(client, server)) &&
                        (all[3 + 2 * i].revents == 0 || (loses_ ? lose(server) : pass(server, client)));
        if (ok)
          left.push_back(pairs_[i]);
        else
          close_both(client, server);
      }
      pairs_ = std::move(left);
      if (all[1].revents != 0) accept();
    }
  }
  void accept() {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un at = address(to_);
    if (::connect(server, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0)
      pairs_.emplace_back(client, server);
    else
      close_both(client, server);
  }
  bool pass(int from, int to) {
    const ssize_t size = ::read(from, buffer_.data(), buffer_.size());
    return size > 0 && ::send(to, buffer_.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL) == size;
  }
  // Returns false if that was the end of the answer, which is the server's word that it is ready.
  bool lose(int from) {
    const ssize_t size = ::read(from, buffer_.data(), buffer_.size());
    if (size <= 0) return false;
    constexpr std::string_view ready("Z\0\0\0\5", 5);
    const std::string_view answer(buffer_.data(), static_cast<std::size_t>(size));
    const bool is_whole = answer.size() > ready.size() && answer.substr(answer.size() - 6, 5) == ready;
    if (is_whole) loses_ = false;
    return !is_whole;
  }

  const std::string to_;
  std::string directory_;
  int listener_ = -1;
  int stop_;
  std::atomic<bool> loses_{false};
  std::vector<std::pair<int, int>> pairs_;
  std::array<char, 65536> buffer_{};
  std::thread thread_;  // last: it uses the rest
};

}  // namespace detent::test
