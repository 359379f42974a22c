// SPDX-License-Identifier: MIT
// Answers that take longer to make than a client may be silent.
#include "http/connection_loop.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

namespace detent::tool {
namespace {

constexpr std::chrono::milliseconds longer_than_silence(2'500);
constexpr std::size_t more_than_one_write = 32 << 20;

class client {
 public:
  explicit client(int port) : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at = {};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(descriptor_, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  }
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  ~client() { ::close(descriptor_); }

  void send(std::string_view text) const {
    EXPECT_EQ(::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // Returns how many bytes come before the server ends.
  std::size_t take() const {
    std::string some(1 << 16, '\0');
    std::size_t all = 0;
    for (ssize_t got = 0; (got = ::recv(descriptor_, some.data(), some.size(), 0)) > 0;)
      all += static_cast<std::size_t>(got);
    return all;
  }

 private:
  int descriptor_;
};

// Answers a request for /slow late and at length, and any other at once with two bytes.
class ConnectionLoop : public testing::Test {
 protected:
  ConnectionLoop()
      : socket_(listen_address{"127.0.0.1", 0}),
        ending_(::eventfd(0, EFD_CLOEXEC)),
        loop_(socket_, [this](const std::string& head) { return answer(head); }),
        server_([this] { loop_.run(ending_); }) {}
  ~ConnectionLoop() override {
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(ending_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
    server_.join();
    ::close(ending_);
  }

  int port() const { return socket_.port(); }
  void wait_until_it_makes_one() const { makes_one_.wait(false); }

 private:
  std::string answer(const std::string& head) {
    if (!head.starts_with("GET /slow")) return "ok";
    makes_one_ = true;
    makes_one_.notify_all();
    std::this_thread::sleep_for(longer_than_silence);
    return std::string(more_than_one_write, 'x');
  }

  listening_socket socket_;
  int ending_;
  std::atomic<bool> makes_one_ = false;
  connection_loop loop_;
  std::thread server_;
};

TEST_F(ConnectionLoop, SendsAllOfAnAnswerThatTookLongToMake) {
  const client slow(port());
  slow.send("GET /slow\r\n\r\n");
  EXPECT_EQ(slow.take(), more_than_one_write);
}

TEST_F(ConnectionLoop, ReadsWhatCameWhileAnAnswerWasMadeBeforeItCallsAClientSilent) {
  const client early(port()), before(port());
  before.send("GET /\r\n\r\n");
  EXPECT_EQ(before.take(), 2U);  // so `early` was accepted as well
  const client slow(port());
  slow.send("GET /slow\r\n\r\n");
  wait_until_it_makes_one();
  early.send("GET /\r\n\r\n");
  EXPECT_EQ(early.take(), 2U);
}

}  // namespace
}  // namespace detent::tool
