// SPDX-License-Identifier: MIT
// What this process has used so far: CPU time of all its threads, wall time, memory.
use crate::answer::{Answer, Failure};
use std::fs;
use std::time::Instant;

pub struct Usage {
    wall: Instant,
    cpu: i64,
}

pub struct Spent {
    wall: u128,
    cpu: i64,
}

impl Usage {
    pub fn now() -> Usage {
        let mut used = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `used` is a timespec of ours. The call cannot fail, as the clock exists and the address is good.
        unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut used) };
        Usage { wall: Instant::now(), cpu: used.tv_sec * 1_000_000_000 + used.tv_nsec }
    }

    /// From then until now.
    pub fn spent(&self) -> Spent {
        let now = Usage::now();
        Spent { wall: (now.wall - self.wall).as_nanos(), cpu: now.cpu - self.cpu }
    }
}

impl Spent {
    pub fn add_to(&self, answer: Answer) -> Answer {
        answer.add("wall_ns", self.wall).add("cpu_ns", self.cpu)
    }
}

/// What stays after the allocator has given back all it can.
pub fn resident_bytes() -> Result<i64, Failure> {
    // SAFETY: both calls take any number and touch no memory of ours.
    let page = unsafe {
        libc::malloc_trim(0);
        libc::sysconf(libc::_SC_PAGESIZE)
    };
    let text = fs::read_to_string("/proc/self/statm")?;
    let pages: i64 = text.split(' ').nth(1).ok_or("/proc/self/statm is not as proc(5) has it")?.parse()?;
    Ok(pages * page)
}
