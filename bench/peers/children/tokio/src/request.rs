// SPDX-License-Identifier: MIT
// A request line: the work's name, then name=value with positive whole numbers.
use crate::answer::Failure;
use std::collections::HashMap;
use std::time::Duration;

pub struct Request {
    pub work: String,
    values: HashMap<String, usize>,
}

impl Request {
    pub fn parse(line: &str) -> Result<Request, Failure> {
        let mut words = line.split_whitespace();
        let work = words.next().ok_or("an empty line is no request")?.to_string();
        let mut values = HashMap::new();
        for word in words {
            let value = word.split_once('=').and_then(|(name, text)| Some((name, text.parse().ok()?)));
            match value {
                Some((name, value)) if (1..=1_000_000_000).contains(&value) => values.insert(name.to_string(), value),
                _ => return Err(format!("{word}: not name=number from 1 to 1000000000").into()),
            };
        }
        Ok(Request { work, values })
    }

    pub fn count(&self, name: &str) -> Result<usize, Failure> {
        let value = self.values.get(name).copied();
        value.ok_or_else(|| format!("{}: {name} is missing", self.work).into())
    }

    pub fn milliseconds(&self, name: &str) -> Result<Duration, Failure> {
        Ok(Duration::from_millis(self.count(name)? as u64))
    }

    pub fn unknown(&self) -> Failure {
        format!("'{}': no such work", self.work).into()
    }
}
