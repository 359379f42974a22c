// SPDX-License-Identifier: MIT
#pragma once

#include "change_bytes.hpp"

#include <detent/base/atomic.hpp>
#include <detent/durable_journal.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace detent::durable::detail {

// A file beside the database, mapped: what the process has begun, and what has ended whose end the database does not
// have. Stores into a mapping are the kernel's as soon as they are made: kill -9 takes none of them back. A power cut
// does, and so a ring from before the last start of the machine is not read.
//
// It belongs to the database that has its generation, a random number that is another one at each opening, and from
// time to time in between: so it is not taken for the ring of an older copy of that database.

// A run that an earlier process had begun.
struct left_run {
  shard_id shard = 0;
  std::string key = {};
  std::uint64_t id = 0;
  stored_time due{};
  std::uint32_t attempt = 1;  // as its term had read it
  enum class state : std::uint8_t {
    under_way,  // its handler had been called, and had not returned
    ended,
    ended_untold  // but what it left behind did not fit
  };
  state was = state::under_way;
  run_leavings left = {};  // if it has ended
};

struct left_ring {
  bool is_known = false;     // there was one, whole, and of this database; else the rest is empty
  bool is_complete = false;  // it had room for all runs
  std::vector<left_run> runs = {};
};

class ring final : public run_journal {
 public:
  // Reads what the last process that had the file has left. Throws bad_alloc.
  static left_ring read(const std::string& path, std::uint64_t generation);

  // Makes the file, or begins it anew. Throws error with errc::not_permitted, unavailable, and the path.
  ring(const std::string& path, std::uint64_t generation, bool knows_former);
  ~ring() override;

  bool knows_former() const noexcept override { return knows_former_; }
  void make_room(std::size_t runs) override;
  place begin(const record& what) noexcept override;
  void end(place of, const end_request& how, std::span<const change> asked) noexcept override;
  void release(std::span<const place> which) noexcept override;

  // The database is about to have another generation; and: it has it. A process may end between the two.
  void about_to_have(std::uint64_t generation) noexcept;
  void has(std::uint64_t generation) noexcept;
  // Whether nothing is in it.
  bool is_empty() noexcept;

 private:
  struct header;
  struct slot;

  int map(std::size_t slots);
  header& head() const noexcept;
  slot& at(place which) const noexcept;

  const bool knows_former_;
  int fd_ = -1;
  std::byte* mapped_ = nullptr;
  std::size_t slots_ = 0;
  std::mutex lock_;
  std::vector<place> free_;  // the last one is used first, so that few pages are
};

}  // namespace detent::durable::detail
