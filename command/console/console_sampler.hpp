// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "console/engine_history.hpp"
#include "console/history_file.hpp"
#include "console/long_history.hpp"
#include "console/periodic_thread.hpp"
#include "console/store_lookups.hpp"
#include "console/store_reader.hpp"
#include "doctor/doctor.hpp"
#include "page/console_view.hpp"
#include "top/engine_witness.hpp"
#include "top/top_source.hpp"

namespace detent::tool {

// Reads the host's engines every second, the store every two seconds, and the doctor's facts that need no measurement
// every ten seconds. Each has a thread of its own, and another one writes the long history, so that a store or a disk
// that does not answer delays nothing else. The number of views has no influence on how often it reads.
class console_sampler {
 public:
  // The sampler's other sources, and the place for its long history. Each may be null.
  struct places {
    std::unique_ptr<store_reader> store = {};
    std::unique_ptr<store_lookups> lookups = {};
    std::unique_ptr<history_file> file = {};
    std::string note = {};  // of the file, or the reason why there is none
  };
  // The long history covers `length`. Waits for the first reading, but for no longer than a second.
  console_sampler(std::string directory, places of, std::chrono::microseconds length);

  // Returns the view of the last readings. It is made once for each reading of the engines. Any thread may call it.
  std::shared_ptr<const console_view> view();
  // Looks up the text, and the timer with the key, in the store; each only if it is given. Waits at most half a second
  // for the store. Any thread may call it.
  console_lookup look_up(const std::optional<std::string>& text, const std::optional<std::string>& key,
                         const std::string& partition);
  // Returns the long history of the engine, set or shard with that id, or nothing if none is kept. Any thread may call
  // it.
  std::vector<console_sample> long_samples(const std::string& id);
  // Ends the readings. Returns whether all of them ended in time. If not, the destructor waits for the rest.
  bool stop(std::chrono::milliseconds within);

 private:
  void read_engines();
  void keep(console_time now);
  void write_history();
  void read_store();
  void examine_host();

  const std::string directory_, host_;
  const top_source source_;
  engine_witness witness_;                     // used by the thread that reads the engines
  const std::unique_ptr<store_reader> store_;  // used by the thread that reads it
  const std::unique_ptr<store_lookups> lookups_;
  const std::unique_ptr<history_file> file_;  // used by the thread that writes it
  host_watch watch_;                          // used by the thread that reads it
  bool watched_ = false;

  std::mutex mutex_;  // guards the following; not held during readings
  engine_history history_;
  long_history long_;
  std::vector<long_history::change> unwritten_;
  std::string history_trouble_;
  std::optional<console_time> last_;
  std::optional<console_store> stored_;
  std::optional<console_time> stored_at_;  // when the store last answered or refused; before that, when it was asked
  std::condition_variable store_answered_;
  std::vector<finding> findings_;
  std::optional<console_time> examined_at_;
  std::shared_ptr<const console_view> view_;  // null if there is something newer

  std::optional<periodic_thread> engines_thread_, history_thread_, host_thread_, store_thread_, lookup_thread_;
};

}  // namespace detent::tool
