// SPDX-License-Identifier: MIT
#include "watched.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <utility>

namespace chaos {

namespace durable = detent::durable;

watched::watched(std::shared_ptr<store> of, const journal& book, std::string node)
    : of_(std::move(of)), book_(book), node_(std::move(node)) {}

watched::~watched() {
  if (waits_ >= 0) ::close(waits_);
}

watched::moment watched::read() noexcept {
  timespec ran{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
  moment now{machine_us(), std::int64_t{ran.tv_sec} * 1'000'000 + ran.tv_nsec / 1000};
  // The first call is made by the thread that constructs the timers.
  if (last_.at != 0 && waits_ < 0) waits_ = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  std::array<char, 100> text{};
  if (::pread(waits_, text.data(), text.size() - 1, 0) <= 0) return now;  // a kernel that does not count
  char* rest = nullptr;
  std::strtoll(text.data(), &rest, 10);
  now.busy += std::strtoll(rest, nullptr, 10) / 1000;
  return now;
}

durable::errc watched::end(std::span<const durable::end_request> what, std::span<durable::end_status> results) {
  const moment begun = read();
  const durable::errc problem = of_->end(what, results);
  const bool failed_before = std::exchange(ends_fail_, problem != durable::errc{});
  if (ends_fail_) return noted(problem);
  std::string ends;
  for (std::size_t i = 0; i < what.size(); ++i) {
    if (what[i].id == 0 || results[i] == durable::end_status::unanswered) continue;
    ends += results[i] == durable::end_status::ended ? " " : " -";
    ends +=
        std::string(durable::parts_of(what[i].key).key.substr(1)) + ':' +
        std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(what[i].ran.time_since_epoch()).count());
  }
  // After a failure it waits for its next try.
  const std::int64_t busy = failed_before ? begun.at - last_.at : begun.busy - last_.busy;
  if (!ends.empty()) book_.write('D', node_, last_.at, begun.at, machine_us(), busy, ends.substr(1), '.');
  return noted(problem);
}

}  // namespace chaos
