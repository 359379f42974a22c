// SPDX-License-Identifier: MIT
// Tests the store on Redis over TLS, with certificates that openssl makes. Elsewhere than where hiredis has it,
// no_tls_test.cpp takes its place.
#include "free_ports.hpp"
#include "redis_server.hpp"
#include "store_calls.hpp"

#include <detent/durable_redis.hpp>

#include "../nodes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace durable_test {
namespace {

using detent::test::put;
using detent::test::redis_server;
using detent::test::timer;

std::string refusal_of(const std::string& address, const redis_options& how, std::error_code wanted) {
  try {
    redis_store(address, how);
  } catch (const detent::error& why) {
    EXPECT_EQ(why.code(), wanted) << why.what();
    return why.what();
  }
  ADD_FAILURE() << "is not refused";
  return {};
}

// Two authorities. The first has given certificates to a server, of a name and of an address, and to a client.
class certificates {
 public:
  certificates() {
    const std::string make =
        "cd " + directory_.path() +
        " && for ca in ca other; do openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
        "-subj /CN=$ca -keyout $ca.key -out $ca.pem; done"
        " && sign() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=$1 -keyout $1.key "
        "-out $1.csr && printf subjectAltName=$2 >$1.ext && openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key "
        "-CAcreateserial -days 2 -extfile $1.ext -out $1.pem; }"
        " && sign named DNS:redis.test && sign numbered IP:127.0.0.1 && sign client DNS:gateway";
    made_ = std::system(("(" + make + ") >/dev/null 2>&1").c_str()) == 0;
  }
  bool are_made() const noexcept { return made_; }
  std::string operator[](const std::string& name) const { return directory_.path() + "/" + name; }

 private:
  detent::test::temporary_directory directory_;
  bool made_ = false;
};

class DurableRedisTlsServers : public ::testing::Test {
 protected:
  void SetUp() override {
    DETENT_NEED_REDIS();
    if (!files.are_made()) GTEST_SKIP() << "openssl cannot make certificates";
  }
  std::vector<std::string> lines_of(int port, const std::string& certificate, bool asks_clients) const {
    return {"--tls-port",         std::to_string(port),        "--tls-cert-file",    files[certificate + ".pem"],
            "--tls-key-file",     files[certificate + ".key"], "--tls-ca-cert-file", files["ca.pem"],
            "--tls-auth-clients", asks_clients ? "yes" : "no"};
  }
  std::unique_ptr<redis_server> serve(const std::string& certificate, bool asks_clients = false) {
    const int port = detent::test::free_ports(1).front();
    address = "127.0.0.1:" + std::to_string(port);
    return std::make_unique<redis_server>(lines_of(port, certificate, asks_clients));
  }
  redis_options with(redis_tls how) const {
    how.on = true;
    if (how.ca_file.empty()) how.ca_file = files["ca.pem"];
    return {.shards = 1, .tls = std::move(how)};
  }
  static void expect_words(const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  }

  const certificates files;
  std::string address;
};

TEST_F(DurableRedisTlsServers, TimersRunWithACertificateOfTheirOwn) {
  const auto server = serve("numbered", true);
  const redis_options how = with({.certificate_file = files["client.pem"], .key_file = files["client.key"]});
  const auto other = redis_store(address, how);
  journal book;
  a_node node(redis_store(address, how), book, options{.horizon = 1h});
  node.on.start();
  for (int i = 0; i != 500; ++i) node.on.schedule_at(now(), "write", {}, {.key = "t" + std::to_string(i)});
  EXPECT_TRUE(soon([&] { return book.size() == 500; }));
  EXPECT_TRUE(soon([&] { return !server->ask("PUBSUB CHANNELS detent:announced:*").empty(); }));
  record near = timer("announced", 1000);
  near.handler = "write";
  EXPECT_EQ(put(*other, near), errc{});
  EXPECT_TRUE(soon([&] { return book.runs_of("announced") == 1; }));
  expect_words(refusal_of(address, with({}), errc::unavailable), "certificate required");
}

TEST_F(DurableRedisTlsServers, TheCertificateHasToBeTheHosts) {
  const auto server = serve("named");
  expect_words(refusal_of(address, with({}), errc::not_permitted), "not accepted for '127.0.0.1': IP address mismatch");
  expect_words(refusal_of(address, with({.server_name = "redis.other"}), errc::not_permitted), "hostname mismatch");
  expect_words(
      refusal_of(address, with({.ca_file = files["other.pem"], .server_name = "redis.test"}), errc::not_permitted),
      "its certificate is not accepted");
  const auto store = redis_store(address, with({.server_name = "redis.test"}));
  EXPECT_EQ(put(*store, timer("a", 1)), errc{});
}

TEST_F(DurableRedisTlsServers, AFileThatIsOfNoUseIsNamed) {
  address = "127.0.0.1:1";
  expect_words(refusal_of(address, with({.ca_file = "/none.pem"}), detent::errc::invalid_option),
               "tls.ca_file '/none.pem': ");
  expect_words(refusal_of(address, with({.certificate_file = "/none", .key_file = files["client.key"]}),
                          detent::errc::invalid_option),
               "tls.certificate_file '/none': ");
  expect_words(refusal_of(address, with({.certificate_file = files["client.pem"], .key_file = files["named.key"]}),
                          detent::errc::invalid_option),
               "tls.key_file '" + files["named.key"] + "': ");
  expect_words(refusal_of("/a/socket", with({}), detent::errc::invalid_option), "tls.on with the socket '/a/socket'");
}

TEST_F(DurableRedisTlsServers, AServerWithoutTlsIsNotTalkedTo) {
  const int port = detent::test::free_ports(1).front();
  const redis_server plain({"--port", std::to_string(port)});
  expect_words(refusal_of("127.0.0.1:" + std::to_string(port), with({}), errc::unavailable), "no TLS: ");
}

TEST_F(DurableRedisTlsServers, SentinelsAreAskedOverTlsToo) {
  const auto server = serve("numbered");
  const std::string port = address.substr(address.find(':') + 1);
  const int its = detent::test::free_ports(1).front();
  redis_server::sentinel what{0, {"tls-replication yes", "sentinel monitor orders 127.0.0.1 " + port + " 1"}};
  const std::vector<std::string> lines = lines_of(its, "numbered", false);
  for (std::size_t i = 0; i != lines.size(); i += 2) what.lines.push_back(lines[i].substr(2) + " " + lines[i + 1]);
  const redis_server sentinel(what);
  redis_options how = with({});
  how.sentinel.master = "orders";
  const auto store = redis_store("127.0.0.1:" + std::to_string(its), how);
  EXPECT_EQ(put(*store, timer("a", 1)), errc{});
  EXPECT_EQ(server->ask("EXISTS detent:{00}:body"), "1");
}

}  // namespace
}  // namespace durable_test
