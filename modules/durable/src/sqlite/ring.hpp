// SPDX-License-Identifier: MIT
#pragma once

#include "change_bytes.hpp"

#include <detent/base/atomic.hpp>
#include <detent/durable_journal.hpp>

#include <mutex>

namespace detent::durable::detail {

// A mapped file beside the database. It lists the runs that the process has begun, and the ends that the database does
// not have yet. A store into a mapping belongs to the kernel at once, so kill -9 loses none of them. A power cut does
// lose them, so a ring from before the last start of the machine is not read.
//
// A ring belongs to the database that has the same generation, a random number that changes at each opening and from
// time to time in between. So a ring is not taken for that of an older copy of the database.

// A run that an earlier process began.
struct left_run {
  shard_id shard = 0;
  std::string key = {};
  std::uint64_t id = 0;
  stored_time due{};
  std::uint32_t attempt = 1;  // as the run's term had read it
  enum class state : std::uint8_t {
    under_way,  // its handler was called and had not returned
    ended,
    ended_untold  // it has ended, but its leavings did not fit
  };
  state was = state::under_way;
  run_leavings left = {};  // if it has ended
};

struct left_ring {
  bool is_known = false;     // a ring was there, whole, and of this database; otherwise the rest is empty
  bool is_complete = false;  // it had room for all runs
  std::vector<left_run> runs = {};
};

class ring final : public run_journal {
 public:
  // Reads what the last process that had the database left in the file. Throws bad_alloc.
  static left_ring read(const std::string& path, std::uint64_t generation);

  // Creates the file or overwrites it. Throws error with errc::not_permitted or errc::unavailable, and the path.
  ring(const std::string& path, std::uint64_t generation, bool knows_former);
  ~ring() override;

  bool knows_former() const noexcept override { return knows_former_; }
  void make_room(std::size_t runs) override;
  place begin(const record& what) noexcept override;
  void end(place of, const end_request& how, std::span<const change> asked) noexcept override;
  void release(std::span<const place> which) noexcept override;

  // The first says that the database is about to get another generation, the second that it has it. The process may end
  // between the two.
  void about_to_have(std::uint64_t generation) noexcept;
  void has(std::uint64_t generation) noexcept;
  // Returns whether the ring has no runs.
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
  std::vector<place> free_;  // the last one is reused first, so that few pages are touched
};

}  // namespace detent::durable::detail
