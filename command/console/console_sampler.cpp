// SPDX-License-Identifier: MIT
#include "console/console_sampler.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <exception>
#include <iterator>
#include <utility>

#include "console/console_budget.hpp"
#include "page/console_figures.hpp"
#include "text/complaint.hpp"
#include "text/input_error.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

using std::chrono::seconds;

constexpr seconds between_readings(1), between_store_readings(2), between_examinations(10);
constexpr std::chrono::milliseconds between_look_ups(50);  // a person waits for them

console_time wall_now() { return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()); }

constexpr double silent_after = 5;  // seconds, for two readings and one slow one

double in_seconds(std::chrono::microseconds span) { return std::chrono::duration<double>(span).count(); }

std::string name_of_host() {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, HOST_NAME_MAX) == 0 ? printable(name) : "";
}

}  // namespace

console_sampler::console_sampler(std::string directory, places of, std::chrono::microseconds length)
    : directory_(std::move(directory)),
      host_(name_of_host()),
      source_({}, directory_),
      store_(std::move(of.store)),
      lookups_(std::move(of.lookups)),
      file_(std::move(of.file)),
      long_(length),
      history_trouble_(std::move(of.note)) {
  if (file_) long_.take_over(file_->read(wall_now()));
  if (store_) {
    stored_.emplace(store_->last());
    stored_at_ = wall_now();
  }
  read_engines();
  examine_host();
  engines_thread_.emplace(between_readings, between_readings, [this] { read_engines(); });
  if (file_) history_thread_.emplace(seconds(1), between_readings, [this] { write_history(); });
  host_thread_.emplace(between_examinations, between_examinations, [this] { examine_host(); });
  if (!store_) return;
  store_thread_.emplace(seconds(0), between_store_readings, [this] { read_store(); });
  if (lookups_) lookup_thread_.emplace(seconds(0), between_look_ups, [this] { lookups_->work(); });
  std::unique_lock lock(mutex_);
  store_answered_.wait_for(lock, seconds(1), [this] { return stored_->read_at || !stored_->trouble.empty(); });
}

bool console_sampler::stop(std::chrono::milliseconds within) {
  const auto deadline = std::chrono::steady_clock::now() + within;
  bool ended = true;
  const auto all = {&engines_thread_, &history_thread_, &host_thread_, &store_thread_, &lookup_thread_};
  for (auto* const each : all)
    if (*each) (*each)->request_stop();
  for (auto* const each : all) ended = (!*each || (*each)->ended_by(deadline)) && ended;
  return ended;
}

void console_sampler::read_engines() {
  host_reading reading;
  try {
    reading = source_.read(console_budget);
    witness_.look(reading, std::chrono::nanoseconds(between_readings).count());
  } catch (const std::exception& trouble) {  // no memory or no descriptors
    reading.troubles = {printable(trouble.what())};
  }
  const console_time now = wall_now();
  const std::scoped_lock lock(mutex_);
  history_.take(std::move(reading), now);
  if (long_.is_due(now)) keep(now);
  last_ = now;
  view_.reset();
}

void console_sampler::keep(console_time now) {
  long_.take(history_.engines(), now);
  std::vector<long_history::change> changes = long_.changes();
  if (!file_) return;
  std::ranges::move(changes, std::back_inserter(unwritten_));
  // A disk that does not answer is not waited for. The oldest of the unwritten steps are forgotten.
  if (unwritten_.size() > 2 * most_kept)
    unwritten_.erase(unwritten_.begin(), unwritten_.end() - static_cast<std::ptrdiff_t>(2 * most_kept));
}

void console_sampler::write_history() {
  std::unique_lock lock(mutex_);
  const std::vector<long_history::change> changes = std::exchange(unwritten_, {});
  if (changes.empty()) return;
  lock.unlock();
  std::string trouble;
  for (const long_history::change& each : changes) {
    try {
      file_->write(each.place, each.engine, each.sample);
    } catch (const input_error& refused) {  // for example, the disk is full; the next step may find room
      trouble = refused.what();
      break;
    }
  }
  lock.lock();
  if (trouble != history_trouble_) {
    view_.reset();
    if (!trouble.empty()) complain(trouble);
  }
  history_trouble_ = std::move(trouble);
}

void console_sampler::read_store() {
  const console_store& read = store_->read();
  const std::scoped_lock lock(mutex_);
  stored_ = read;
  stored_at_ = wall_now();
  view_.reset();
  store_answered_.notify_all();
}

void console_sampler::examine_host() {
  // The constructor of watch_ has looked already, and changes count from that look.
  if (std::exchange(watched_, true)) watch_.look();
  std::vector<finding> findings = watch_.findings();
  const std::scoped_lock lock(mutex_);
  findings_ = std::move(findings);
  examined_at_ = wall_now();
  view_.reset();
}

console_lookup console_sampler::look_up(const std::optional<std::string>& text, const std::optional<std::string>& key,
                                        const std::string& partition) {
  console_lookup out;
  if (!lookups_) return out;
  if (key) out.opening = lookups_->open(*key, partition);
  if (text) out.search = lookups_->search(*text);
  return out;
}

std::vector<console_sample> console_sampler::long_samples(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  return long_.samples(id, *last_);
}

std::shared_ptr<const console_view> console_sampler::view() {
  const std::scoped_lock lock(mutex_);
  if (view_) return view_;
  if (stored_) {
    const double silent = in_seconds(*last_ - *stored_at_);
    stored_->silent = silent > silent_after ? silent : 0;
  }
  std::vector<console_engine> engines = history_.engines();
  std::vector<past_engine> past = long_.past(*last_);
  std::erase_if(past, [&](const past_engine& gone) { return engine_of(engines, gone.id) != nullptr; });
  for (console_engine& each : engines) {
    each.trouble = long_.trouble(each.id, *last_);
    for (console_engine& shard : each.shards) shard.trouble = long_.trouble(shard.id, *last_);
  }
  view_ = std::make_shared<const console_view>(console_view{.now = *last_,
                                                            .host = host_,
                                                            .directory = printable(directory_),
                                                            .interval = in_seconds(between_readings),
                                                            .window = engine_history::window,
                                                            .long_window = in_seconds(long_.length()),
                                                            .engines = std::move(engines),
                                                            .past = std::move(past),
                                                            .troubles = history_.troubles(),
                                                            .history_trouble = history_trouble_,
                                                            .store = stored_,
                                                            .findings = findings_,
                                                            .examined_at = examined_at_});
  return view_;
}

}  // namespace detent::tool
