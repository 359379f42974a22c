// SPDX-License-Identifier: MIT
#include "link.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace detent::durable::redis {

namespace {

constexpr std::chrono::microseconds first_pause{20'000};
constexpr int oldest_major = 6;
constexpr int oldest_minor = 2;

timeval to_timeval(std::chrono::microseconds span) noexcept {
  return {static_cast<time_t>(span.count() / 1'000'000), static_cast<suseconds_t>(span.count() % 1'000'000)};
}

std::string_view field(std::string_view info, std::string_view name) noexcept {
  for (std::size_t at = info.find(name); at != std::string_view::npos; at = info.find(name, at + 1)) {
    if ((at == 0 || info[at - 1] == '\n') && at + name.size() < info.size() && info[at + name.size()] == ':') {
      const std::size_t from = at + name.size() + 1;
      return info.substr(from, std::min(info.find_first_of("\r\n", from), info.size()) - from);
    }
  }
  return {};
}

// The user lacks a right, or the server has the command under another name.
bool is_denied(std::string_view error) noexcept {
  return error.starts_with("NOPERM") || error.starts_with("ERR unknown command");
}

bool is_old(std::string_view version) noexcept {
  int major = 0;
  int minor = 0;
  const char* const end = version.data() + version.size();
  const auto [after, failed] = std::from_chars(version.data(), end, major);
  if (failed != std::errc()) return true;
  if (after != end) std::from_chars(after + 1, end, minor);
  return major < oldest_major || (major == oldest_major && minor < oldest_minor);
}

}  // namespace

std::string address::text() const { return is_path() ? host : host + ":" + std::to_string(port); }

address parse_address(std::string_view text) {
  const auto refuse = [&](const char* why) -> std::invalid_argument {
    return std::invalid_argument("the address of a Redis server '" + std::string(text) + "' " + why +
                                 ": give the path of a socket, or HOST:PORT");
  };
  const std::size_t colon = text.rfind(':');
  if (text.empty()) throw refuse("is empty");
  if (text.find('/') != std::string_view::npos || colon == std::string_view::npos) return {std::string(text), 0};
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  int number = 0;
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (host.empty()) throw refuse("has no host");
  if (failed != std::errc() || end != port.data() + port.size() || number < 1 || number > 65535)
    throw refuse("has no port from 1 to 65535");
  return {std::string(host), number};
}

std::vector<address> parse_addresses(std::string_view text) {
  std::vector<address> all;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    all.push_back(parse_address(text.substr(from, comma - from)));
    from = comma + 1;
  }
  return all;
}

server_facts facts_of(std::string_view info) {
  return {std::string(field(info, "redis_version")), std::string(field(info, "maxmemory_policy")),
          field(info, "cluster_enabled") == "1", field(info, "role") == "slave", std::string(field(info, "run_id"))};
}

trouble unfit(const server_facts& facts) {
  if (is_old(facts.version))
    return {refusal::unsupported, "is Redis " + facts.version + ": durable timers need 6.2 or newer"};
  // The volatile policies evict only keys that have a time to live, and no key of a store has one. A server that names
  // no policy hides it from this user, so it cannot be judged.
  if (!facts.policy.empty() && facts.policy != "noeviction" && !facts.policy.starts_with("volatile-"))
    return {refusal::not_permitted, "has maxmemory-policy " + facts.policy +
                                        ", which would throw timers away: set it to noeviction or to volatile-lru"};
  return {};
}

void link::close() noexcept {
  const linger at_once{1, 0};  // makes the kernel drop what is unsent; a Unix socket ignores it
  if (connection_ != nullptr && connection_->fd >= 0)
    ::setsockopt(connection_->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  connection_.reset();
}

link::link(address where, access how, purpose what_for)
    : where_(std::move(where)), how_(std::move(how)), what_for_(what_for) {}

trouble link::open() {
  if (is_open()) return {};
  if (std::chrono::steady_clock::now() < not_before_) return {refusal::lost, why_};
  const auto begin = std::chrono::steady_clock::now();
  trouble failed = connect();
  if (!failed) failed = introduce();
  if (failed) {
    close();
    why_ = failed.text;
    const auto end = std::chrono::steady_clock::now();
    pause_ = std::clamp(2 * pause_, first_pause, std::max(first_pause, how_.patience / 2));
    // One node of a cluster that hangs must not keep the others waiting, so it is tried for a fifth of the time at
    // most.
    not_before_ =
        end + (facts_.is_cluster ? std::max<std::chrono::steady_clock::duration>(pause_, 4 * (end - begin)) : pause_);
  } else {
    pause_ = {};
  }
  return failed;
}

trouble link::connect() {
  const timeval limit = to_timeval(how_.patience);
  connection_.reset(where_.is_path() ? redisConnectUnixWithTimeout(where_.host.c_str(), limit)
                                     : redisConnectWithTimeout(where_.host.c_str(), where_.port, limit));
  if (connection_ == nullptr) return fail(refusal::lost, "no memory");
  if (connection_->err != 0) return fail(refusal::lost, connection_->errstr);
  if (redisSetTimeout(connection_.get(), limit) != REDIS_OK)
    return fail(refusal::lost, "the time-out could not be set");
  ++connections_;
  if (how_.secured == nullptr) return {};
  trouble why = how_.secured->secure(*connection_, where_.host);
  return why ? fail(why.kind, std::move(why.text)) : trouble{};
}

trouble link::introduce() {
  std::vector<std::string_view> auth = {"AUTH"};
  if (!how_.who.user.empty()) auth.push_back(how_.who.user);
  auth.push_back(how_.who.password);
  const bool has_password = !how_.who.password.empty();
  const bool has_scripts = what_for_ == purpose::store;
  if (has_password) append(auth);
  if (has_scripts) append(std::array<std::string_view, 1>{"INFO"});
  for (std::size_t i = 0; has_scripts && i != scripts; ++i)
    append(std::array<std::string_view, 3>{"SCRIPT", "LOAD", text(static_cast<script>(i))});

  trouble first;
  const auto next = [&](bool may_be_denied = false) -> reply {
    reply answer = read();
    if (answer == nullptr)
      first = fail(refusal::lost, why_);
    else if (answer->type == REDIS_REPLY_ERROR && !first && !(may_be_denied && is_denied(text_of(*answer))))
      first = fail(classify(text_of(*answer)), std::string(text_of(*answer)));
    return answer;
  };
  if (has_password && next() == nullptr) return first;
  if (!has_scripts) return first;
  const reply info = next(true);
  if (info == nullptr || first) return first;
  for (std::string& digest : digests_) {
    const reply loaded = next();
    if (loaded == nullptr || first) return first;
    digest = text_of(*loaded);
  }
  if (info->type == REDIS_REPLY_ERROR) return say_hello();
  facts_ = facts_of(text_of(*info));
  return {};
}

// The answer alternates names and values. It says nothing that tells one process from another, so each connection
// counts as a process.
trouble link::say_hello() {
  append(std::array<std::string_view, 2>{"HELLO", "2"});
  const reply answer = read();
  if (answer == nullptr) return fail(refusal::lost, why_);
  if (answer->type != REDIS_REPLY_ARRAY)
    return fail(refusal::not_permitted,
                "one of INFO and HELLO is needed, under its name: give the user the right +info (" +
                    std::string(text_of(*answer)) + ")");
  facts_ = {};
  facts_.process = where_.text() + '#' + std::to_string(connections_);
  for (std::size_t i = 0; i + 1 < answer->elements; i += 2) {
    const std::string_view name = text_of(*answer->element[i]);
    const std::string_view value = text_of(*answer->element[i + 1]);
    if (name == "version") facts_.version = value;
    if (name == "mode") facts_.is_cluster = value == "cluster";
    if (name == "role") facts_.is_replica = value != "master";
  }
  return {};
}

trouble link::fail(refusal kind, std::string text) { return {kind, where_.text() + ": " + std::move(text)}; }

void link::append(std::span<const std::string_view> words) {
  // hiredis takes pointers and lengths in separate arrays. These are kept between calls, because a batch has many
  // commands.
  thread_local std::vector<const char*> starts;
  thread_local std::vector<std::size_t> lengths;
  starts.clear();
  lengths.clear();
  for (const std::string_view word : words) {
    starts.push_back(word.data());
    lengths.push_back(word.size());
  }
  redisAppendCommandArgv(connection_.get(), static_cast<int>(words.size()), starts.data(), lengths.data());
}

reply link::read() {
  void* answer = nullptr;
  if (connection_ != nullptr && redisGetReply(connection_.get(), &answer) == REDIS_OK)
    return reply(static_cast<redisReply*>(answer));
  if (connection_ != nullptr) {
    why_ = connection_->err == REDIS_ERR_IO ? "no answer: " + std::string(connection_->errstr)
                                            : std::string(connection_->errstr);
    if (const std::string more = how_.secured != nullptr ? how_.secured->reason() : ""; !more.empty())
      why_ += " (" + more + ")";
  }
  close();
  return nullptr;
}

bool link::flush() {
  for (int done = 0; done == 0;) {
    if (redisBufferWrite(connection_.get(), &done) != REDIS_OK) return false;
  }
  return true;
}

bool link::take_pushed(const std::function<void(const redisReply&)>& each) {
  if (redisBufferRead(connection_.get()) != REDIS_OK) return false;
  for (;;) {
    void* message = nullptr;
    if (redisGetReplyFromReader(connection_.get(), &message) != REDIS_OK) return false;
    if (message == nullptr) return true;
    each(*reply(static_cast<redisReply*>(message)));
  }
}

}  // namespace detent::durable::redis
