// SPDX-License-Identifier: MIT
#include "durable/store_url.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "text/input_error.hpp"

namespace detent::tool {
namespace {

constexpr std::string_view local = "redis+unix";
constexpr std::string_view default_port = ":6379";
constexpr std::string_view default_sentinel_port = ":26379";

// A kind of URL for servers on hosts.
struct tcp_scheme {
  std::string_view name;
  bool has_tls, has_sentinels;
};
constexpr std::array tcp_schemes = {tcp_scheme{"redis", false, false}, tcp_scheme{"rediss", true, false},
                                    tcp_scheme{"redis-sentinel", false, true},
                                    tcp_scheme{"rediss-sentinel", true, true}};

[[noreturn]] void refuse(const std::string& what) { throw input_error("durable: --store: " + what); }

// The text before a mark and after it. Without the mark, `before` is the whole text.
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

std::string first_line_of(std::string_view option, const std::string& file) {
  std::ifstream in(file);
  std::string line;
  if (!in || !std::getline(in, line) || line.empty())
    refuse(std::string(option) + " " + in_quotes(file) + ": no password there");
  return line;
}

// Adds the default port to each server of the list that has none.
std::string with_ports(std::string_view hosts, std::string_view otherwise) {
  std::string all;
  for (std::size_t from = 0; from <= hosts.size();) {
    const std::size_t comma = std::min(hosts.find(',', from), hosts.size());
    const std::string_view one = hosts.substr(from, comma - from);
    if (one.empty()) refuse("the URL has no host: redis://HOST[:PORT]/PREFIX");
    if (from != 0) all += ',';
    all += one;
    const std::size_t colon = one.rfind(':');
    if (colon == std::string_view::npos || one.find(']', colon) != std::string_view::npos) all += otherwise;
    from = comma + 1;
  }
  return all;
}

// Reads the options after the ? of a URL; each kind of URL has other ones.
void take_query(std::string_view query, const tcp_scheme* kind, redis_place& out) {
  struct option {
    std::string_view name;
    bool is_known;
    std::string* to;
    bool is_file_of_password = false;
  };
  const bool has_tls = kind != nullptr && kind->has_tls;
  const bool has_sentinels = kind != nullptr && kind->has_sentinels;
  const std::array options = {option{"prefix", kind == nullptr, &out.prefix},
                              option{"password-file", true, &out.password, true},
                              option{"sentinel-user", has_sentinels, &out.sentinel.user},
                              option{"sentinel-password-file", has_sentinels, &out.sentinel.password, true},
                              option{"ca-file", has_tls, &out.tls.ca_file},
                              option{"certificate-file", has_tls, &out.tls.certificate_file},
                              option{"key-file", has_tls, &out.tls.key_file},
                              option{"server-name", has_tls, &out.tls.server_name}};
  while (!query.empty()) {
    const auto [one, rest] = split(query, query.find('&'));
    query = rest;
    const auto [name, value] = split(one, one.find('='));
    const auto* const found = std::ranges::find(options, name, &option::name);
    if (found == options.end() || !found->is_known) {
      std::string known;
      for (const option& each : options)
        if (each.is_known) known += (known.empty() ? "" : ", ") + std::string(each.name);
      refuse(in_quotes(name) + " of the URL is not known; after ? it may have " + known);
    }
    if (found->is_file_of_password && !found->to->empty())
      refuse("the URL has a password and a " + std::string(name) + "; give one of them");
    *found->to = found->is_file_of_password ? first_line_of(name, decoded(value)) : decoded(value);
  }
}

void take_from_environment(const char* name, std::string& password) {
  if (const char* const secret = std::getenv(name); password.empty() && secret != nullptr) password = secret;
}

}  // namespace

bool is_url(const std::string& name) noexcept { return name.find("://") != std::string::npos; }

bool is_postgres(const std::string& name) noexcept {
  return name.starts_with("postgresql://") || name.starts_with("postgres://");
}

std::string without_password(const std::string& url) {
  if (!is_url(url)) return url;
  const auto [scheme, after_scheme] = split(url, url.find("://"), 3);
  const std::string shown = std::string(scheme) + "://";
  const std::size_t mark = after_scheme.find('?'), at = after_scheme.find('@');
  // A second @, or one after a ? or a /, makes the parts ambiguous. Any of them may then belong to a password.
  if (after_scheme.find('@', std::min(mark, at == std::string_view::npos ? 0 : at + 1)) != std::string_view::npos)
    return shown + "...";
  const std::string_view place = after_scheme.substr(0, mark);
  if (at == std::string_view::npos) return shown + std::string(place);
  const std::string_view user = place.substr(0, std::min(place.find(':'), at));
  return shown + std::string(user) + std::string(place.substr(at));
}

redis_place place_of(const std::string& url) {
  const auto [scheme, after_scheme] = split(url, url.find("://"), 3);
  const auto* const found = std::ranges::find(tcp_schemes, scheme, &tcp_scheme::name);
  const tcp_scheme* const kind = found == tcp_schemes.end() ? nullptr : found;
  if (kind == nullptr && scheme != local)
    refuse("the scheme " + in_quotes(scheme) +
           " is not known; a store is an SQLite file, redis://HOST[:PORT]/PREFIX or rediss:// for TLS, "
           "redis-sentinel://HOST[:PORT]/MASTER/PREFIX or rediss-sentinel://, redis+unix:///PATH?prefix=PREFIX, or "
           "postgresql://HOST/DATABASE");
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
  if (kind != nullptr) {
    out.tls.on = kind->has_tls;
    out.address = with_ports(hosts, kind->has_sentinels ? default_sentinel_port : default_port);
    std::string_view rest = path.substr(std::min<std::size_t>(1, path.size()));
    if (kind->has_sentinels) {
      const auto [master, after] = split(rest, rest.find('/'));
      if (master.empty())
        refuse("the URL has no name of a master: " + std::string(scheme) + "://HOST[:PORT]/MASTER/PREFIX");
      out.sentinel.master = decoded(master);
      rest = after;
    }
    if (!rest.empty()) out.prefix = decoded(rest);
  } else {
    if (!hosts.empty() || path.size() < 2) refuse("redis+unix has no host, and an absolute path: redis+unix:///PATH");
    out.address = decoded(path);
  }
  take_query(query, kind, out);
  take_from_environment("DETENT_REDIS_PASSWORD", out.password);
  if (kind != nullptr && kind->has_sentinels) take_from_environment("DETENT_SENTINEL_PASSWORD", out.sentinel.password);
  if (!out.sentinel.user.empty() && out.sentinel.password.empty())
    refuse("sentinel-user " + in_quotes(out.sentinel.user) +
           " without a password; set DETENT_SENTINEL_PASSWORD or give &sentinel-password-file=FILE");
  if (!out.user.empty() && out.password.empty())
    refuse("user " + in_quotes(out.user) +
           " without a password; set DETENT_REDIS_PASSWORD or give ?password-file=FILE");
  return out;
}

}  // namespace detent::tool
