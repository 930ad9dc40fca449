//! A task for each folder in a `rayon::scope`, `std::fs::read_dir` in each: what
//! one writes in Rust without a library for walking, and the fastest of them.

use rayon::Scope;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Instant;
use tree_walk_peers::{Arguments, Counts, Sum};

fn walk<'scope>(scope: &Scope<'scope>, folder: PathBuf, status: bool, sum: &'scope Sum) {
    let mut counts = Counts::default();
    for entry in std::fs::read_dir(&folder).expect("read_dir") {
        let entry = entry.expect("entry");
        let is_folder = entry.file_type().expect("file_type").is_dir();
        counts.entries += 1;
        counts.name_bytes += entry.file_name().as_bytes().len() as u64;
        if status {
            let metadata = entry.metadata().expect("metadata");
            if !is_folder {
                counts.size_bytes += metadata.len();
            }
            counts.times += metadata.mtime() as u64;
        }
        if is_folder {
            counts.folders += 1;
            let path = entry.path();
            scope.spawn(move |scope| walk(scope, path, status, sum));
        }
    }
    sum.add(&counts);
}

fn main() {
    let arguments = Arguments::new();
    let start = Instant::now();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.jobs)
        .build()
        .expect("threads");
    let sum = Sum::default();
    pool.scope(|scope| walk(scope, arguments.folder.into(), arguments.status, &sum));
    sum.report(pool.current_num_threads(), start);
}
