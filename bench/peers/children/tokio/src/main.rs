// SPDX-License-Identifier: MIT
// Tokio's timers with the line protocol: one ready line, then one JSON line for each request line, until `quit` or the
// end of input. `--system NAME` says which timers: tokio or tokio-delay-queue.
mod answer;
mod delay_queue;
mod delays;
mod lateness;
mod pair;
mod request;
mod sleep;
mod usage;

use answer::{Answer, Failure};
use request::Request;
use std::io::{self, BufRead, Write};

struct System {
    name: &'static str,
    version: &'static str,
    how: &'static str,
    work: fn(&Request) -> Result<Answer, Failure>,
}

const SYSTEMS: [System; 2] = [
    System { name: "tokio", version: concat!("tokio ", env!("TOKIO_VERSION")), how: sleep::HOW, work: sleep::work },
    System {
        name: "tokio-delay-queue",
        version: concat!("tokio-util ", env!("TOKIO_UTIL_VERSION"), ", tokio ", env!("TOKIO_VERSION")),
        how: delay_queue::HOW,
        work: delay_queue::work,
    },
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let system = match &arguments[..] {
        [option, wanted] if option == "--system" => SYSTEMS.iter().find(|each| each.name == wanted),
        _ => None,
    };
    let ended = match system {
        Some(system) => serve(system),
        None => {
            eprintln!("usage: detent-peer-tokio --system tokio | tokio-delay-queue");
            std::process::exit(2);
        }
    };
    if let Err(error) = ended {
        eprintln!("detent-peer-tokio: {error}");
        std::process::exit(1);
    }
}

fn serve(system: &System) -> io::Result<()> {
    let mut output = io::stdout();
    let ready = Answer::default()
        .add("ready", true)
        .text("system", system.name)
        .text("version", system.version)
        .text("how", system.how);
    writeln!(output, "{ready}")?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim() == "quit" {
            break;
        }
        let given = Request::parse(&line).and_then(|asked| (system.work)(&asked));
        writeln!(output, "{}", given.unwrap_or_else(|failure| Answer::default().text("error", &failure.to_string())))?;
    }
    Ok(())
}
