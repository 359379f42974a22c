// SPDX-License-Identifier: MIT
// One JSON object on one line, built member by member.
use std::fmt;

/// Why a work could not be done, in one line.
pub type Failure = Box<dyn std::error::Error>;

#[derive(Default)]
pub struct Answer {
    members: Vec<String>,
}

impl Answer {
    pub fn add(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.members.push(format!("\"{name}\":{value}"));
        self
    }

    /// Quotes, backslashes and control characters of the value are made harmless.
    pub fn text(self, name: &str, value: &str) -> Self {
        let harmless: String = value
            .chars()
            .map(|letter| match letter {
                '"' => '\'',
                '\\' => '/',
                letter if letter.is_control() => ' ',
                letter => letter,
            })
            .collect();
        self.add(name, format!("\"{harmless}\""))
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{{{}}}", self.members.join(","))
    }
}
