// SPDX-License-Identifier: MIT
// A Unix socket whose name others want, or whose directory they have locked.
#include "http/listening_socket.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/temporary_directory.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

void leave_stale_socket(const std::string& path) {
  sockaddr_un at = {};
  at.sun_family = AF_UNIX;
  path.copy(at.sun_path, sizeof at.sun_path - 1);
  const int stale = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::bind(stale, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  ::close(stale);
}

TEST(ListeningSocket, OfServersThatStartAtOnceOnAStaleSocketOneListens) {
  const test::temporary_directory directory;
  const std::string path = directory.path() + "/socket";
  constexpr int servers = 4;
  for (int round = 0; round < 2000; ++round) {
    leave_stale_socket(path);
    std::vector<std::unique_ptr<listening_socket>> listening(servers);
    std::barrier begin(servers);
    std::vector<std::thread> threads;
    for (std::unique_ptr<listening_socket>& each : listening) {
      threads.emplace_back([&begin, &path, &each] {
        begin.arrive_and_wait();
        try {
          each = std::make_unique<listening_socket>(path);
        } catch (const input_error&) {
          // Another socket listens there.
        }
      });
    }
    for (std::thread& each : threads) each.join();
    const auto found =
        std::count_if(listening.begin(), listening.end(), [](const auto& each) { return each != nullptr; });
    ASSERT_EQ(found, 1) << round;
  }
}

TEST(ListeningSocket, SaysThatAnotherProcessHasLockedItsDirectory) {
  const test::temporary_directory directory;
  const int lock = ::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  try {
    const listening_socket refused(directory.path() + "/socket");
    ADD_FAILURE() << "it listens";
  } catch (const input_error& trouble) {
    EXPECT_NE(std::string(trouble.what()).find("locked"), std::string::npos) << trouble.what();
  }
  ::close(lock);
  const listening_socket made(directory.path() + "/socket");
}

}  // namespace
}  // namespace detent::tool
