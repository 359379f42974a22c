// SPDX-License-Identifier: MIT
// A PostgreSQL server of the test's own, gone with the object, and with the test's process if that is killed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace detent::test {

class postgres_server {
 public:
  // On a socket, without a port. Without `is_durable` it does not sync: a kill of its processes loses nothing even so.
  explicit postgres_server(bool is_durable = false, std::vector<std::string> options = {});
  postgres_server(const postgres_server&) = delete;
  postgres_server& operator=(const postgres_server&) = delete;
  ~postgres_server();

  // Absent where a test has to be skipped.
  static bool is_installed();

  // The path of a program of the same version, such as pg_dump.
  static std::string program(const std::string& name);

  // Returns the URL for one of its databases, which must exist; `postgres` does.
  std::string url(const std::string& database = "postgres") const;

  const std::string& directory() const noexcept { return directory_; }  // of its socket

  void start();  // returns when it answers; it ends with the thread that has called
  void kill();   // SIGKILL to each of its processes

  // One after the other, over a connection of its own: the first value of the last row, as text. Throws runtime_error.
  std::string ask(const std::string& sql, const std::string& database = "postgres") const;
  // A database that is empty, with a name that none has had.
  std::string make_database();

 private:
  int run(std::vector<std::string> words, bool in_background);

  std::string directory_;
  std::vector<std::string> options_;
  pid_t process_ = 0;
  int databases_ = 0;
};

// One server for all tests of the program.
postgres_server& shared_postgres();

}  // namespace detent::test

#define DETENT_NEED_POSTGRES() \
  if (!::detent::test::postgres_server::is_installed()) GTEST_SKIP() << "postgresql is not installed"
