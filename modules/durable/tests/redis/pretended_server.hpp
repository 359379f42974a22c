// SPDX-License-Identifier: MIT
// Answers INFO with a text, calls of scripts with a line, and everything else with +OK: a server of any version that is
// wanted.
#pragma once

#include <support/temporary_directory.hpp>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>
#include <utility>

namespace detent::test {

class pretended_server {
 public:
  explicit pretended_server(std::string info, std::string of_scripts = "+OK")
      : info_(std::move(info)), of_scripts_(std::move(of_scripts)), listening_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    std::strncpy(where.sun_path, path_.c_str(), sizeof where.sun_path - 1);
    if (::bind(listening_, reinterpret_cast<sockaddr*>(&where), sizeof where) != 0 || ::listen(listening_, 8) != 0)
      std::abort();
    thread_ = std::thread([this] { serve(); });
  }
  pretended_server(const pretended_server&) = delete;
  pretended_server& operator=(const pretended_server&) = delete;
  ~pretended_server() {
    ::shutdown(listening_, SHUT_RDWR);
    thread_.join();
    ::close(listening_);
  }

  const std::string& path() const noexcept { return path_; }

 private:
  void serve() {
    for (int client = ::accept(listening_, nullptr, nullptr); client >= 0;
         client = ::accept(listening_, nullptr, nullptr)) {
      std::string had;
      char some[65536];
      for (ssize_t got = ::read(client, some, sizeof some); got > 0; got = ::read(client, some, sizeof some)) {
        had.append(some, static_cast<std::size_t>(got));
        answer_all(client, had);
      }
      ::close(client);
    }
  }

  // Each whole command in `had`: a star with a count, then a length and a text for each word.
  void answer_all(int client, std::string& had) const {
    for (;;) {
      std::size_t at = 0;
      const auto number = [&]() -> long {
        const std::size_t end = had.find("\r\n", at);
        if (end == std::string::npos) return -1;
        const long value = std::stol(had.substr(at + 1, end - at - 1));
        at = end + 2;
        return value;
      };
      std::string first;
      const long count = had.empty() ? -1 : number();
      if (count < 0) return;
      for (long i = 0; i != count; ++i) {
        const long length = at < had.size() ? number() : -1;
        if (length < 0 || at + static_cast<std::size_t>(length) + 2 > had.size()) return;
        if (i == 0) first = had.substr(at, static_cast<std::size_t>(length));
        at += static_cast<std::size_t>(length) + 2;
      }
      had.erase(0, at);
      const std::string answer = first == "INFO"      ? "$" + std::to_string(info_.size()) + "\r\n" + info_ + "\r\n"
                                 : first == "EVALSHA" ? of_scripts_ + "\r\n"
                                                      : "+OK\r\n";
      if (::write(client, answer.data(), answer.size()) < 0) return;
    }
  }

  temporary_directory directory_;
  const std::string path_ = directory_.path() + "/redis.sock";
  const std::string info_;
  const std::string of_scripts_;
  const int listening_;
  std::thread thread_;
};

}  // namespace detent::test
