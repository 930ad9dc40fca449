//! The command line and the line of JSON of `benchmarks/programs/WalkReport.h`.

use std::ffi::OsString;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// `PROGRAM [--stat] [--jobs N] FOLDER`
pub struct Arguments {
    pub folder: OsString,
    /// 0: the number of cores.
    pub jobs: usize,
    pub status: bool,
}

impl Arguments {
    pub fn new() -> Self {
        let mut result = Arguments { folder: OsString::new(), jobs: 0, status: false };
        let mut words = std::env::args_os().skip(1);
        while let Some(word) = words.next() {
            if word == "--stat" {
                result.status = true;
            } else if word == "--jobs" {
                result.jobs = words
                    .next()
                    .and_then(|number| number.to_str()?.parse().ok())
                    .expect("--jobs wants a number");
            } else {
                result.folder = word;
            }
        }
        assert!(!result.folder.is_empty(), "usage: [--stat] [--jobs N] FOLDER");
        result
    }
}

impl Default for Arguments {
    fn default() -> Self {
        Self::new()
    }
}

/// What was counted, of one folder or of all below the root.
#[derive(Default)]
pub struct Counts {
    pub folders: u64,
    pub entries: u64,
    pub name_bytes: u64,
    pub size_bytes: u64,
    pub times: u64,
}

/// The sum of all threads; they add to it once for each folder.
#[derive(Default)]
pub struct Sum {
    folders: AtomicU64,
    entries: AtomicU64,
    name_bytes: AtomicU64,
    size_bytes: AtomicU64,
    times: AtomicU64,
}

impl Sum {
    pub fn add(&self, counts: &Counts) {
        self.folders.fetch_add(counts.folders, Relaxed);
        self.entries.fetch_add(counts.entries, Relaxed);
        self.name_bytes.fetch_add(counts.name_bytes, Relaxed);
        self.size_bytes.fetch_add(counts.size_bytes, Relaxed);
        self.times.fetch_add(counts.times, Relaxed);
    }

    pub fn report(&self, threads: usize, start: Instant) {
        println!(
            "{{\"folders\":{},\"entries\":{},\"name_bytes\":{},\"size_bytes\":{},\
             \"times\":{},\"threads\":{},\"seconds\":{:.6}}}",
            self.folders.load(Relaxed),
            self.entries.load(Relaxed),
            self.name_bytes.load(Relaxed),
            self.size_bytes.load(Relaxed),
            self.times.load(Relaxed),
            threads,
            start.elapsed().as_secs_f64()
        );
    }
}
