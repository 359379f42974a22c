// SPDX-License-Identifier: MIT
// A redis-server of the test's own, gone with the object, and with the test's process if that is killed. The
// environment's DETENT_REDIS_SERVER is run in its place: valkey-server.
#pragma once

#include <support/temporary_directory.hpp>

#include <sys/types.h>

#include <string>
#include <vector>

namespace detent::test {

class redis_server {
 public:
  // On a socket, without a port, unless the options say otherwise. It keeps what it was announced over kill() and
  // start() if `keeps`.
  explicit redis_server(std::vector<std::string> options = {}, bool keeps = false);
  // A Sentinel, on a port and on a socket; `lines` are those of its configuration.
  struct sentinel {
    int port = 0;
    std::vector<std::string> lines = {};
  };
  explicit redis_server(const sentinel& what);
  redis_server(const redis_server&) = delete;
  redis_server& operator=(const redis_server&) = delete;
  ~redis_server() { kill(); }

  // Absent where a test has to be skipped.
  static bool is_installed();

  const std::string& path() const noexcept { return path_; }

  void start();  // returns when it answers
  void kill();   // SIGKILL
  void pause();  // SIGSTOP
  void go_on();

  // Returns the answer to a command of one line, over its own connection: text, number, or error with its minus.
  std::string ask(const std::string& command, const std::string& password = {}) const;

 private:
  temporary_directory directory_;
  std::string path_;
  std::vector<std::string> options_;
  pid_t process_ = 0;
};

}  // namespace detent::test

#define DETENT_NEED_REDIS() \
  if (!::detent::test::redis_server::is_installed()) GTEST_SKIP() << "redis-server is not installed"
