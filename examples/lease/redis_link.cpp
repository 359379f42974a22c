// SPDX-License-Identifier: MIT
#include "redis_link.hpp"

#include <poll.h>

#include <cstdlib>
#include <memory>
#include <utility>

namespace lease {

using namespace std::chrono_literals;

// Lives from send() to its answer; hiredis keeps the pointer.
struct redis_link::request {
  redis_link* link;
  answer done;
  detent::timer patience;

  static void finish(redisAsyncContext* connection, void* reply, void* self) {
    const std::unique_ptr<request> mine(static_cast<request*>(self));
    mine->patience.cancel();
    if (reply == nullptr && connection->err != 0) mine->link->trouble_ = connection->errstr;
    mine->done(static_cast<const redisReply*>(reply), mine->link->trouble_);
  }
};

redis_link::redis_link(detent::engine& engine, std::string address) : engine_(engine), address_(std::move(address)) {}

redis_link::~redis_link() { give_up("the program ends"); }

void redis_link::send(const std::vector<std::string>& command, detent::duration patience, answer done) {
  std::vector<const char*> words;
  std::vector<std::size_t> lengths;
  for (const std::string& word : command) {
    words.push_back(word.data());
    lengths.push_back(word.size());
  }
  auto made = std::make_unique<request>(request{this, std::move(done), {}});
  const bool sent = (connection_ != nullptr || connect()) &&
                    redisAsyncCommandArgv(connection_, request::finish, made.get(), static_cast<int>(words.size()),
                                          words.data(), lengths.data()) == REDIS_OK;
  if (sent) {
    made->patience = engine_.schedule_after(patience, [this] { give_up("no answer in time"); });
    static_cast<void>(made.release());  // finish() frees it
  } else {
    // Not inside send(), because the caller expects the answer after the question has been sent.
    engine_.schedule_after(0ns, [failed = std::move(made)] { failed->done(nullptr, failed->link->trouble_); });
  }
}

void redis_link::handle(short happened) {
  // Each call may end in the loss of the connection, and then in forget().
  if (connection_ != nullptr && (happened & (POLLIN | POLLERR | POLLHUP)) != 0) redisAsyncHandleRead(connection_);
  if (connection_ != nullptr && (happened & POLLOUT) != 0) redisAsyncHandleWrite(connection_);
}

bool redis_link::connect() {
  const std::size_t colon = address_.rfind(':');
  const bool is_path = address_.find('/') != std::string::npos || colon == std::string::npos;
  connection_ = is_path ? redisAsyncConnectUnix(address_.c_str())
                        : redisAsyncConnect(address_.substr(0, colon).c_str(), std::atoi(&address_[colon + 1]));
  if (connection_ != nullptr && connection_->err == 0) {
    hook();
    return true;
  }
  trouble_ = connection_ != nullptr ? connection_->errstr : "no memory";
  if (connection_ != nullptr) redisAsyncFree(std::exchange(connection_, nullptr));
  return false;
}

void redis_link::give_up(std::string_view why) {
  trouble_ = why;
  if (connection_ != nullptr) redisAsyncFree(connection_);  // every request finishes, without a reply
}

void redis_link::want(short event, bool wanted) noexcept {
  interest_ = static_cast<short>(wanted ? interest_ | event : interest_ & ~event);
}

// hiredis says what it waits for, and the loop polls for that.
void redis_link::hook() {
  interest_ = 0;
  auto& events = connection_->ev;
  events.data = this;
  events.addRead = [](void* self) { static_cast<redis_link*>(self)->want(POLLIN, true); };
  events.delRead = [](void* self) { static_cast<redis_link*>(self)->want(POLLIN, false); };
  events.addWrite = [](void* self) { static_cast<redis_link*>(self)->want(POLLOUT, true); };
  events.delWrite = [](void* self) { static_cast<redis_link*>(self)->want(POLLOUT, false); };
  events.cleanup = [](void* self) { static_cast<redis_link*>(self)->connection_ = nullptr; };
}

}  // namespace lease
