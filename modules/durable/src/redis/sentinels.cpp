// SPDX-License-Identifier: MIT
#include "sentinels.hpp"

#include <poll.h>

#include <array>
#include <charconv>
#include <utility>

namespace detent::durable::redis {

sentinels::sentinels(const whereabouts& where, access how) : master_(where.master) {
  how.who = where.of_sentinels;
  for (const address& one : where.known) all_.push_back(std::make_unique<link>(one, how, purpose::other));
}

void sentinels::append_question(link& to) const {
  to.append(std::array<std::string_view, 3>{"SENTINEL", "get-master-addr-by-name", master_});
}

trouble sentinels::read_answer(link& from, address& master) const {
  const std::string name = "the Sentinel " + from.where().text() + ": ";
  const reply answer = from.read();
  if (answer == nullptr) return {refusal::lost, name + from.why()};
  if (answer->type == REDIS_REPLY_ERROR) {
    const std::string_view text = text_of(*answer);
    if (text.starts_with("ERR unknown command"))
      return {refusal::unsupported, name + "is none: give the addresses of Sentinels, whose usual port is 26379"};
    const char* const cure = text.starts_with("NOAUTH") ? ": give sentinel.password" : "";
    return {classify(text), name + std::string(text) + cure};
  }
  if (answer->type != REDIS_REPLY_ARRAY || answer->elements != 2)
    return {refusal::lost, name + "knows no master '" + master_ + "': give the name that its configuration monitors"};
  const std::string_view port = text_of(*answer->element[1]);
  address its{std::string(text_of(*answer->element[0])), 0};
  std::from_chars(port.data(), port.data() + port.size(), its.port);
  if (its.host.empty() || its.port == 0) return {refusal::unexpected, name + "an address of a strange form"};
  master = std::move(its);
  return {};
}

trouble sentinels::ask(address& master) {
  trouble worst;
  for (std::size_t tried = 0; tried != all_.size(); ++tried) {
    const std::size_t number = (last_ + tried) % all_.size();
    link& one = *all_[number];
    if (is_asked_ && number == last_) one.close();  // its next answer would be to the last question
    trouble failed = one.open();
    if (!failed) {
      append_question(one);
      failed = read_answer(one, master);
    }
    if (!failed) {
      last_ = number;
      is_asked_ = false;
      told_ = master;
      asked_at_ = std::chrono::steady_clock::now();
      return {};
    }
    if (!worst || worst.kind == refusal::lost) worst = std::move(failed);
  }
  is_asked_ = false;
  return worst;
}

bool sentinels::has_moved() {
  const auto now = std::chrono::steady_clock::now();
  link& one = *all_[last_];
  const auto ask_another = [&] {
    one.close();
    last_ = (last_ + 1) % all_.size();
    return false;
  };
  if (is_asked_) {
    pollfd its{one.descriptor(), POLLIN, 0};
    const bool has_answer = ::poll(&its, 1, 0) != 0;
    if (!has_answer && now < asked_at_ + 2 * between) return false;
    is_asked_ = false;
    address now_told;
    return has_answer && !read_answer(one, now_told) ? now_told != told_ : ask_another();
  }
  if (now < asked_at_ + between) return false;
  asked_at_ = now;
  if (one.open()) return ask_another();
  append_question(one);
  is_asked_ = one.flush();
  return is_asked_ ? false : ask_another();
}

}  // namespace detent::durable::redis
