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

// Reads the host's engines once a second, the store every two seconds and what the doctor sees without measuring
// every ten, in a thread each, and writes the long history in another: a store or a disk that does not answer holds up
// nothing else. However many views are taken,
// nothing is read more often.
class console_sampler {
 public:
  // What the sampler reads beside the engines, and where it keeps its long history. Each may be null.
  struct places {
    std::unique_ptr<store_reader> store = {};
    std::unique_ptr<store_lookups> lookups = {};
    std::unique_ptr<history_file> file = {};
    std::string note = {};  // of the file, or why there is none
  };
  // The long history is of `length`. Waits for its first reading, but no longer than a second.
  console_sampler(std::string directory, places of, std::chrono::microseconds length);

  // The view of the last readings, made once for each reading of the engines. Any thread may call it.
  std::shared_ptr<const console_view> view();
  // Looks up that text, and the timer of that name, in the store; each only if it is given. Waits for the store for
  // half a second at most. Any thread may call it.
  console_lookup look_up(const std::optional<std::string>& text, const std::optional<std::string>& key,
                         const std::string& partition);
  // The long history of the engine, the set or the shard with that id; empty: nothing is kept. Any thread may call it.
  std::vector<console_sample> long_samples(const std::string& id);
  // Ends the readings. Returns whether all ended in time; if not, the destructor waits for the others.
  bool stop(std::chrono::milliseconds within);

 private:
  void read_engines();
  void keep(console_time now);
  void write_history();
  void read_store();
  void examine_host();

  const std::string directory_, host_;
  const top_source source_;
  engine_witness witness_;                     // of the thread that reads the engines
  const std::unique_ptr<store_reader> store_;  // of the thread that reads it
  const std::unique_ptr<store_lookups> lookups_;
  const std::unique_ptr<history_file> file_;  // of the thread that writes it
  host_watch watch_;                          // of the thread that reads it
  bool watched_ = false;

  std::mutex mutex_;  // of what follows; held for no reading
  engine_history history_;
  long_history long_;
  std::vector<long_history::change> unwritten_;
  std::string history_trouble_;
  std::optional<console_time> last_;
  std::optional<console_store> stored_;
  std::optional<console_time> stored_at_;  // when the store has answered, or refused to; before: when it was asked
  std::condition_variable store_answered_;
  std::vector<finding> findings_;
  std::optional<console_time> examined_at_;
  std::shared_ptr<const console_view> view_;  // null: there is something newer

  std::optional<periodic_thread> engines_thread_, history_thread_, host_thread_, store_thread_, lookup_thread_;
};

}  // namespace detent::tool
