// SPDX-License-Identifier: MIT
// The state of `detent top`: the engines from one reading of the host to the next, which one is selected, and how they
// are sorted.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "top/top_column.hpp"
#include "top/top_row.hpp"

namespace detent::tool {

// A counters file whose process is gone, and the line that says so.
struct left_file {
  std::string path, line;
};

// One reading of the host.
struct host_reading {
  std::vector<engine_reading> engines;  // the live ones
  std::vector<std::string> troubles;    // a line, with the reason, for each file that is not among them
  std::vector<left_file> left = {};
};

enum class top_span : std::uint8_t {
  recent,     // between the last two readings
  whole_life  // since each engine was made
};

class top_model {
 public:
  // Engines that are missing from the reading are gone; message() says so.
  void take(host_reading reading);

  // Sorted, over the chosen span.
  const std::vector<top_row>& rows() const { return rows_; }
  // Returns the selected row, or null if there are no rows.
  const top_row* selected_row() const;
  std::size_t selected() const { return selected_; }
  // Moves the selection down, or up if `rows` is negative. It stops at the ends.
  void move_selection(std::ptrdiff_t rows);

  void select_first();

  // Shows the shards of the selected set in its place. Returns false if the selected row is no set.
  bool unfold();
  // Shows the set of the selected shard in its place. Returns false if the selected row is no shard.
  bool fold();

  top_span span() const { return span_; }
  void set_span(top_span span);
  top_column sorted_by() const { return sorted_by_; }
  bool reversed() const { return reversed_; }
  void sort_by(top_column column);
  void reverse();

  // Says in one line what the last reading has changed; empty if nothing has changed.
  const std::string& message() const { return message_; }

 private:
  // An engine may have several names over time, and a file several engines.
  using key = std::tuple<std::string, std::int64_t, std::int64_t>;         // path, process, time of creation
  using set_key = std::tuple<std::int64_t, std::uint64_t, std::uint32_t>;  // process, its start time, number of the set
  struct known_engine {
    engine_reading now;
    std::optional<engine_reading> before;
    std::vector<std::optional<double>> p99s;
  };
  static key key_of(const engine_identity& identity);
  static set_key set_of(const engine_identity& identity);
  void update(known_engine& engine, engine_reading reading);
  void forget(const std::map<key, engine_reading>& seen);
  void note_troubles(const std::vector<std::string>& troubles);
  void make_rows();
  void add_set(const std::vector<const known_engine*>& shards);
  // Sorts the rows. The selection stays with its engine or, if that is gone, in its place.
  void arrange();

  std::map<key, known_engine> engines_;
  std::set<set_key> unfolded_;
  std::vector<std::string> troubles_;
  std::vector<top_row> rows_;
  std::size_t selected_ = 0;
  std::optional<key> selected_key_;
  top_span span_ = top_span::recent;
  top_column sorted_by_ = top_column::p99;
  bool reversed_ = false;
  std::string message_;
};

}  // namespace detent::tool
