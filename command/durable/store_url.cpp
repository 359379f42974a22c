// SPDX-License-Identifier: MIT
#include "durable/store_url.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "text/input_error.hpp"

namespace detent::tool {
namespace {

constexpr std::string_view tcp = "redis";
constexpr std::string_view local = "redis+unix";
constexpr std::string_view default_port = ":6379";

[[noreturn]] void refuse(const std::string& what) { throw input_error("durable: --store: " + what); }

// The text before a mark and after it. Without a mark, `before` is the whole.
struct halves {
  std::string_view before, after;
};
halves split(std::string_view text, std::size_t mark, std::size_t size = 1) {
  if (mark == std::string_view::npos) return {text, {}};
  return {text.substr(0, mark), text.substr(mark + size)};
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i != text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const char* const digits = text.data() + i + 1;
    unsigned char byte = 0;
    if (i + 2 >= text.size() || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2)
      refuse("a % of the URL stands for itself; write it as %25");
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

std::string first_line_of(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  if (!in || !std::getline(in, line) || line.empty())
    refuse("password-file " + in_quotes(file) + ": no password there");
  return line;
}

// Each server of the list with a port.
std::string with_ports(std::string_view hosts) {
  std::string all;
  for (std::size_t from = 0; from <= hosts.size();) {
    const std::size_t comma = std::min(hosts.find(',', from), hosts.size());
    const std::string_view one = hosts.substr(from, comma - from);
    if (one.empty()) refuse("the URL has no host: redis://HOST[:PORT]/PREFIX");
    if (from != 0) all += ',';
    all += one;
    const std::size_t colon = one.rfind(':');
    if (colon == std::string_view::npos || one.find(']', colon) != std::string_view::npos) all += default_port;
    from = comma + 1;
  }
  return all;
}

void take_query(std::string_view query, bool has_path_prefix, redis_place& out) {
  while (!query.empty()) {
    const auto [one, rest] = split(query, query.find('&'));
    query = rest;
    const auto [name, value] = split(one, one.find('='));
    if (name == "prefix" && !has_path_prefix) {
      out.prefix = decoded(value);
    } else if (name == "password-file") {
      if (!out.password.empty()) refuse("the URL has a password and a password-file; give one of them");
      out.password = first_line_of(decoded(value));
    } else {
      refuse(in_quotes(name) + " of the URL is not known; " +
             (has_path_prefix ? "after ? it may have password-file" : "after ? it may have prefix and password-file"));
    }
  }
}

}  // namespace

bool is_url(const std::string& name) noexcept { return name.find("://") != std::string::npos; }

redis_place place_of(const std::string& url) {
  const auto [scheme, after_scheme] = split(url, url.find("://"), 3);
  if (scheme != tcp && scheme != local)
    refuse("the scheme " + in_quotes(scheme) +
           " is not known; a store is an SQLite file, redis://HOST[:PORT]/PREFIX or " +
           "redis+unix:///PATH?prefix=PREFIX");
  const auto [place, query] = split(after_scheme, after_scheme.find('?'));
  const std::size_t slash = std::min(place.find('/'), place.size());
  const std::string_view authority = place.substr(0, slash);
  const std::string_view path = place.substr(slash);
  redis_place out;
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) {
    const auto [user, password] = split(authority.substr(0, at), authority.substr(0, at).find(':'));
    out.user = decoded(user);
    out.password = decoded(password);
  }
  const std::string_view hosts = at == std::string_view::npos ? authority : authority.substr(at + 1);
  // The text that follows may be the rest of a password, so it is not shown.
  if (!hosts.empty() && after_scheme.find('@', slash) != std::string_view::npos)
    refuse(
        "an @ follows the first / or ? of the URL; in a password write / as %2F and ? as %3F, after the host @ as %40");
  if (scheme == tcp) {
    out.address = with_ports(hosts);
    if (path.size() > 1) out.prefix = decoded(path.substr(1));
  } else {
    if (!hosts.empty() || path.size() < 2) refuse("redis+unix has no host, and an absolute path: redis+unix:///PATH");
    out.address = decoded(path);
  }
  take_query(query, scheme == tcp, out);
  if (const char* const secret = std::getenv("DETENT_REDIS_PASSWORD"); out.password.empty() && secret != nullptr)
    out.password = secret;
  if (!out.user.empty() && out.password.empty())
    refuse("user " + in_quotes(out.user) +
           " without a password; set DETENT_REDIS_PASSWORD or give ?password-file=FILE");
  return out;
}

}  // namespace detent::tool
