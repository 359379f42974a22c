// SPDX-License-Identifier: MIT
// Timer groups that are paused: members keep the time they have left, and are found again when it goes on.
#include "groups.hpp"
#include "scenario.hpp"

namespace model {
namespace {

using detent::manual_clock;
using detent::detail::clock_reader;
using detent::detail::group_time;

constexpr nanoseconds_t noon = 50, due = 60, pause_length = 1000;
constexpr std::uint32_t armed_order = 0;

struct timed_host : group_host {
  manual_clock time{detent::detail::to_time(noon)};
  timer member;
  nanoseconds_t slack = 0;  // in the node's cold part: of the timer that has the node
  clock_reader clock() const { return {&time, nullptr}; }
};

// The member's one timer, filed under its engine time; done once it is so.
struct paused_member {
  timed_host& host;
  nanoseconds_t filed = -1;  // nowhere
  void file() { filed = host.group.to_engine_time(group_time{host.member.deadline()}); }
  void sweep(group_state&) {
    if (filed >= 0) file();
    if (filed == forever) reach("found paused");
  }
  void take(std::uint64_t entry) {
    if (states::take_up(host.member.pair, static_cast<std::uint32_t>(entry)) != states::take_up_result::stale) file();
  }
  bool done() const {
    return (filed >= 0 && filed != forever) || host.doors.signalled.load(detent::base::acquire) != 0;
  }
};

void drive_paused(timed_host& host, nanoseconds_t filed = -1) {
  paused_member members{.host = host, .filed = filed};
  group_driver<paused_member>(host, members).drive();
}

// resume_group() of callers/members.cpp
void resume(timed_host& host) {
  require(host.group.resume(host.clock()), "not paused");
  host.attend_to(host.group);
}

// put_back() of callers/members.cpp
void put_back(timed_host& host, std::uint64_t word) {
  const std::uint64_t handed_over = word;
  if (!states::exchange_word(host.member.pair, word, state_word::requeued(handed_over, armed_order))) return;
  host.doors.submit(0, state_word::generation(handed_over), forever);
  detent::detail::ring_if_resumed(
      [&] { return host.group.to_engine_time(group_time{host.member.deadline()}); },
      [&](nanoseconds_t time) { host.doors.after_ring(host.doors.bell.ring_for_earlier(time)); });
}

// A member is scheduled while its group is resumed. A caller that reads the pause and announces no deadline to the
// driver has announced nothing: the resume may have been answered before.
void schedule_against_resume(execution& run) {
  auto& host = run.make<timed_host>("engine");
  require(host.group.pause(host.clock()), "paused");
  run.thread("driver", [&] { drive_paused(host); });
  run.thread("scheduler", [&] {
    const nanoseconds_t kept = host.group.to_group_time(due, host.clock()).ns;
    host.member.publish(0, timer_state::queued, kept);
    host.doors.submit(0, 0, due);
  });
  run.thread("owner", [&] { resume(host); });
  run.join();
}

// Paused and resumed once more, while the driver is asked for already: the request that it answers is for both.
void resume_twice(execution& run) {
  auto& host = run.make<timed_host>("engine");
  host.member.publish(0, timer_state::armed, due);
  require(host.group.pause(host.clock()), "paused");
  run.thread("driver", [&] { drive_paused(host, forever); });
  run.thread("owner", [&] {
    resume(host);
    require(host.group.pause(host.clock()), "paused");
    resume(host);
  });
  run.join();
}

// An executor holds a member of a paused group.
std::uint64_t hand_over_and_pause(timed_host& host) {
  host.member.publish(armed_order, timer_state::armed, noon);
  std::uint64_t word = host.member.word();
  require(states::hand_over(host.member.pair, word, noon, 1) == states::transition::done, "not handed over");
  require(host.group.pause(host.clock()), "paused");
  return word;
}

// An executor puts its timer back while the group is resumed.
void put_back_against_resume(execution& run) {
  auto& host = run.make<timed_host>("engine");
  host.doors.bell.allow_asymmetric(true);  // pushes have no fence of their own
  host.doors.bell.begin_asymmetric();
  const std::uint64_t word = hand_over_and_pause(host);
  run.thread("driver", [&] { drive_paused(host); });
  run.thread("executor", [&] {
    if (host.group.paused()) {
      reach("put back");
      return put_back(host, word);
    }
    reach("ran");
    host.doors.signalled.store(1, detent::base::release);
    host.doors.ring();
  });
  run.thread("owner", [&] { resume(host); });
  run.join();
}

// And while somebody restarts it, whose deadline holds.
void put_back_against_restart(execution& run) {
  auto& host = run.make<timed_host>("engine");
  const std::uint64_t word = hand_over_and_pause(host);
  run.thread("executor", [&] { put_back(host, word); });
  run.thread("restarter", [&] {
    if (states::restart(host.member.pair, 0, due, 2) == states::restart_transition::earlier) {
      host.doors.submit(1, 0, due);
    }
  });
  run.join();
  require(host.member.deadline() == due, "not the deadline promised last");
  paused_member members{.host = host};
  host.doors.queue.take_all([&](std::uint64_t entry) { members.take(entry); });
  require(members.filed == forever && host.member.state() == timer_state::armed, "nobody has told of it");
}

// And while somebody cancels it and has the node for another timer, which is put back's no longer.
void put_back_against_cancel(execution& run) {
  auto& host = run.make<timed_host>("engine");
  const std::uint64_t word = hand_over_and_pause(host);
  run.thread("executor", [&] { put_back(host, word); });
  run.thread("canceller", [&] {
    const auto from = states::cancel(host.member.pair, 0, false);
    reach(from == states::cancel_transition::from_queued ? "put back" : "handed over");
    host.member.destroy_callable();
    require(states::release(host.member.pair), "used up");
    host.slack = 1;
    host.member.publish(0, timer_state::queued, due);
  });
  run.join();
  require(state_word::generation(host.member.word()) == 1 && host.member.state() == timer_state::queued &&
              host.member.deadline() == due,
          "not as its new owner left it");
}

// The deadline is kept in the group's time: a pause puts it off by its length, or comes before the restart.
void pause_against_restart(execution& run) {
  auto& host = run.make<timed_host>("engine");
  host.member.publish(0, timer_state::armed, host.group.to_group_time(2 * due, host.clock()).ns);
  run.thread("owner", [&] {
    require(host.group.pause(host.clock()), "paused");
    require(!host.group.pause(host.clock()), "paused twice");
    require(host.group.to_engine_time(group_time{due}) == forever, "due while it is paused");
    host.time.advance(detent::duration(pause_length));
    require(host.group.resume(host.clock()), "not paused");
  });
  run.thread("restarter", [&] {
    const nanoseconds_t kept = host.group.to_group_time(due, host.clock()).ns;
    require(states::restart(host.member.pair, 0, kept, 1) == states::restart_transition::earlier, "not earlier");
  });
  run.join();
  const nanoseconds_t time = host.group.to_engine_time(group_time{host.member.deadline()});
  require(time == due || time == due + pause_length, "neither put off by the pause nor left alone");
  reach(time == due ? "restarted after it" : "put off");
}

// Two that pause and resume: each pause is ended once. And a reader sees one time or another, never half of either.
void two_who_pause(execution& run) {
  auto& host = run.make<timed_host>("engine");
  unsigned paused = 0, resumed = 0;
  nanoseconds_t time = 0;
  run.thread("owner", [&] {
    paused += host.group.pause(host.clock());
    host.time.advance(detent::duration(pause_length));
    resumed += host.group.resume(host.clock());
  });
  run.thread("other", [&] { paused += host.group.pause(host.clock()); });
  run.thread("driver", [&] { time = host.group.to_engine_time(group_time{due}); });
  run.join();
  require(paused == resumed + host.group.paused(), "a pause that was ended twice, or never");
  require(time == due || time == due + pause_length || time == forever, "a time that there never was");
  reach(time == due ? "before" : time == forever ? "meanwhile" : "after");
}

// Long paused twice: the value of one pause with the mark of the other would be a time that there never was.
void read_while_turned(execution& run) {
  auto& host = run.make<timed_host>("engine");
  nanoseconds_t time = 0;
  run.thread("owner", [&] {
    for (int i = 0; i != 2; ++i) {
      host.group.pause(host.clock());
      host.time.advance(detent::duration(pause_length));
      host.group.resume(host.clock());
    }
  });
  run.thread("driver", [&] { time = host.group.to_engine_time(group_time{due}); });
  run.join();
  require(time == due || time == due + pause_length || time == due + 2 * pause_length || time == forever,
          "a time that there never was");
}

const suite group_pause(
    "GroupPause",
    {
        {"ScheduleAgainstResume", schedule_against_resume, {.preemptions = 2, .weak = {.stale = 2}}},
        {"ResumeTwice", resume_twice, {.preemptions = 2}, {"found paused"}},
        {"PutBackAgainstResume",
         put_back_against_resume,
         {.preemptions = 2, .weak = {.stale = 2}},
         {"ran", "put back"}},
        {"PauseAgainstRestart", pause_against_restart, {.preemptions = 3}, {"restarted after it", "put off"}},
        {"PutBackAgainstRestart", put_back_against_restart, {.preemptions = 3}},
        {"PutBackAgainstCancel", put_back_against_cancel, {.preemptions = 3}, {"put back", "handed over"}},
        {"TwoWhoPause", two_who_pause, {.preemptions = 2, .weak = {.stale = 2}}, {"before", "meanwhile", "after"}},
        {"ReadWhileTurned", read_while_turned, {.preemptions = 2, .weak = {.stale = 2}}},
    });

}  // namespace
}  // namespace model
