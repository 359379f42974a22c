// SPDX-License-Identifier: MIT
#include "http/http_request.hpp"

#include <gtest/gtest.h>

#include <string>

namespace detent::tool {
namespace {

std::string get(const std::string& target) { return "GET " + target + " HTTP/1.1\r\n\r\n"; }

TEST(HttpRequest, DecodesPathAndParameters) {
  const std::string text = get("/a%2Fb+c?name=two+words&hex=%3c%3E%2b&bare&=empty&name=again&wrong=%4%zz%");
  const auto request = read_request(text);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "GET");
  EXPECT_EQ(request->path, "/a/b+c");
  EXPECT_EQ(request->query,
            (http_query{{"name", "two words"}, {"hex", "<>+"}, {"bare", ""}, {"", "empty"}, {"wrong", "%4%zz%"}}));
}

TEST(HttpRequest, ReadsFieldsWhateverTheirCaseAndTheSpaceAroundTheirValues) {
  const auto request = read_request("HEAD / HTTP/1.0\r\nhOST:a\r\nHost: \t b:1 \t\r\nX: y\r\nAuthorization:\r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->hosts, (std::vector<std::string_view>{"a", "b:1"}));
  EXPECT_EQ(request->authorizations, std::vector<std::string_view>{""});
  EXPECT_FALSE(request->has_body);
}

TEST(HttpRequest, KnowsABodyByItsFields) {
  const auto has_body = [](const std::string& field) {
    const std::string text = "GET / HTTP/1.1\r\n" + field + "\r\n\r\n";
    return read_request(text).value().has_body;
  };
  for (const char* field : {"Content-Length: 00", "X-Content-Length: 1", "Expect: 100-continue"})
    EXPECT_FALSE(has_body(field)) << field;
  for (const char* field : {"content-length: 1", "Content-Length:", "Content-Length: 0, 0", "Content-Length: -0",
                            "Content-Length: 0\r\nContent-Length: 9", "transfer-encoding: identity"})
    EXPECT_TRUE(has_body(field)) << field;
}

TEST(HttpRequest, TakesGzipWhereTheClientDoes) {
  const auto takes = [](const std::string& value) {
    const std::string text = "GET / HTTP/1.1\r\naccept-encoding: " + value + "\r\n\r\n";
    return read_request(text).value().takes_gzip;
  };
  for (const char* value : {"gzip", "GZip", "x-gzip", "br;q=1.0, gzip;q=0.001", "deflate,gzip", "*",
                            "identity, *;q=0.1", "*;q=0, gzip", "gzip ; q=0.5", "identity\r\nAccept-Encoding: gzip"})
    EXPECT_TRUE(takes(value)) << value;
  for (const char* value :
       {"", "identity", "br, deflate", "gzip;q=0", "gzip;Q=0.000", "*;q=0", "gzip;q=0, *", "gzipped"})
    EXPECT_FALSE(takes(value)) << value;
  EXPECT_FALSE(read_request(get("/")).value().takes_gzip);
}

TEST(HttpRequest, RefusesOtherVersionsAndOtherShapes) {
  for (const char* line : {"GET / HTTP/1.1", "GET * HTTP/1.0", "get /?? HTTP/1.9"})
    EXPECT_TRUE(read_request(std::string(line) + "\r\n\r\n")) << line;
  for (const char* line : {"GET / HTTP/2.0", "GET / HTTP/1.1 ", "GET  / HTTP/1.1", "GET  HTTP/1.1", "GET / HTTP/1.10",
                           "GET /", "GET", "", " / HTTP/1.1", "GET / http/1.1", "GET\t/ HTTP/1.1"})
    EXPECT_FALSE(read_request(std::string(line) + "\r\n\r\n")) << line;
  for (const char* text : {"", "\r\n", "\r\n\r\n", "GET / HTTP/1.1", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nX: y\r\n",
                           "GET / HTTP/1.1\r\n\r\nX: y\r\n\r\n"})
    EXPECT_FALSE(read_request(text)) << text;
}

}  // namespace
}  // namespace detent::tool
