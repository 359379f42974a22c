// SPDX-License-Identifier: MIT
#include "console/store_lookups.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "console/listed_timer.hpp"
#include "console/timer_search.hpp"
#include "durable/named_store.hpp"
#include "durable/timer_query.hpp"
#include "durable/timer_words.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

using namespace durable;
using std::chrono::steady_clock;

constexpr std::size_t most_questions = 8;
constexpr auto first_answer = std::chrono::milliseconds(200);
constexpr auto slice = std::chrono::milliseconds(100);
constexpr auto forgotten_after = std::chrono::seconds(15);  // an open page asks once a second
constexpr auto search_again = std::chrono::seconds(10), open_again = std::chrono::seconds(1);
constexpr std::size_t most_payload = 4096;  // bytes that are shown

// A question and what is known of its answer. Searches and openings each have their own kind.
template <class Answer>
struct question {
  Answer answer = {};
  bool is_answered = false;
  steady_clock::time_point asked{}, answered{};
};

bool is_same(const console_search& a, const console_search& b) { return a.text == b.text; }
bool is_same(const console_opening& a, const console_opening& b) {
  return a.key == b.key && a.partition == b.partition;
}

template <class Answer>
question<Answer>& remembered(std::deque<question<Answer>>& all, const Answer& asked) {
  const auto now = steady_clock::now();
  std::erase_if(all, [now](const auto& each) { return now - each.asked > forgotten_after; });
  auto its = std::ranges::find_if(all, [&](const auto& each) { return is_same(each.answer, asked); });
  if (its == all.end()) {
    if (all.size() == most_questions) all.erase(std::ranges::min_element(all, {}, &question<Answer>::asked));
    all.push_back({.answer = asked});
    its = std::prev(all.end());
  }
  its->asked = now;
  return *its;
}

}  // namespace

class store_lookups::content {
 public:
  explicit content(const std::string& name) : store_(name) {}

  template <class Answer>
  Answer ask(std::deque<question<Answer>>& all, const Answer& asked);
  console_search search(const std::string& typed) { return ask(searches_, console_search{.text = typed}); }
  console_opening open(console_opening which) { return ask(openings_, which); }
  void work();

 private:
  template <class Answer>
  std::optional<Answer> next_of(std::deque<question<Answer>>& all, steady_clock::duration again);
  template <class Answer>
  void tell(std::deque<question<Answer>>& all, Answer&& answer);
  void read(console_opening& its);
  void look_on();

  watched_store store_;                  // used by the thread that works, as is the next one
  std::optional<timer_search> running_;  // a search that is not done

  std::mutex mutex_;  // guards the following; not held during look-ups
  std::condition_variable answered_;
  std::deque<question<console_search>> searches_;
  std::deque<question<console_opening>> openings_;
};

template <class Answer>
Answer store_lookups::content::ask(std::deque<question<Answer>>& all, const Answer& asked) {
  std::unique_lock lock(mutex_);
  const auto until = steady_clock::now() + first_answer;
  remembered(all, asked);
  while (!remembered(all, asked).is_answered)
    if (answered_.wait_until(lock, until) == std::cv_status::timeout) break;
  return remembered(all, asked).answer;
}

// Returns the question that has waited longest for an answer.
template <class Answer>
std::optional<Answer> store_lookups::content::next_of(std::deque<question<Answer>>& all, steady_clock::duration again) {
  const std::scoped_lock lock(mutex_);
  const auto now = steady_clock::now();
  const question<Answer>* oldest = nullptr;
  for (const question<Answer>& each : all) {
    if (now - each.asked > forgotten_after || (each.is_answered && now - each.answered < again)) continue;
    if (oldest == nullptr || each.answered < oldest->answered) oldest = &each;
  }
  if (oldest == nullptr) return {};
  return oldest->answer;
}

template <class Answer>
void store_lookups::content::tell(std::deque<question<Answer>>& all, Answer&& answer) {
  const std::scoped_lock lock(mutex_);
  const auto its = std::ranges::find_if(all, [&](const auto& each) { return is_same(each.answer, answer); });
  if (its == all.end()) return;
  its->answer = std::move(answer);
  its->is_answered = true;
  its->answered = steady_clock::now();
  answered_.notify_all();
}

void store_lookups::content::read(console_opening& its) {
  try {
    store& in = store_.current();
    std::optional<listed_record> found;
    check(in.find({shard_of(its.key, its.partition, in.shards()), stored_key(its.key, its.partition)}, found), in);
    its.trouble.clear();
    its.is_read = true;
    its.timer.reset();
    if (!found) return;
    its.payload = payload_of(found->what).substr(0, most_payload);
    its.payload_size = found->what.payload.size();
    its.timer = timer_of(*std::move(found));
  } catch (const std::exception& trouble) {
    its.trouble = printable(trouble.what());
  }
}

// A search that is repeated keeps showing its former results until it has ended.
void store_lookups::content::look_on() {
  if (!running_) {
    const auto next = next_of(searches_, search_again);
    if (!next) return;
    running_.emplace(next->text);
  }
  console_search now;
  try {
    running_->go_on(store_.current(), steady_clock::now() + slice);
    now = running_->result();
  } catch (const std::exception& trouble) {
    now = running_->result();
    now.trouble = printable(trouble.what());
    now.is_done = true;
  }
  const bool ended = now.is_done;
  bool is_first = false, is_asked = false;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& each : searches_) {
      if (!is_same(each.answer, now)) continue;
      is_asked = steady_clock::now() - each.asked <= forgotten_after;
      is_first = !each.answer.is_done;
    }
  }
  if (ended || is_first) tell(searches_, std::move(now));
  if (ended || !is_asked) running_.reset();
}

void store_lookups::content::work() {
  while (auto next = next_of(openings_, open_again)) {
    read(*next);
    tell(openings_, std::move(*next));
  }
  look_on();
}

store_lookups::store_lookups(const std::string& name) : content_(std::make_unique<content>(name)) {}

store_lookups::~store_lookups() = default;

console_search store_lookups::search(const std::string& typed) { return content_->search(typed); }

console_opening store_lookups::open(const std::string& key, const std::string& partition) {
  return content_->open({.key = key, .partition = partition});
}

void store_lookups::work() { content_->work(); }

}  // namespace detent::tool
