// SPDX-License-Identifier: MIT
#include "text/progress.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <utility>

namespace detent::tool {

progress_line::progress_line() : visible_(::isatty(STDERR_FILENO) == 1) {}

progress_line::~progress_line() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void progress_line::show(std::string_view text) {
  if (!visible_) return;
  shown_ = true;
  std::fprintf(stderr, "\r\x1b[K%.*s", static_cast<int>(text.size()), text.data());
  std::fflush(stderr);
}

background_progress::background_progress(std::function<std::string()> text) {
  if (!line_.visible()) return;
  thread_ = std::jthread([this, text = std::move(text)](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any woken;
    std::unique_lock lock(mutex);
    while (!woken.wait_for(lock, stop, std::chrono::milliseconds(100), [&stop] { return stop.stop_requested(); })) {
      line_.show(text());
    }
  });
}

}  // namespace detent::tool
