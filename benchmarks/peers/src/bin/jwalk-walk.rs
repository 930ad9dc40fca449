//! The crate jwalk, which reads folders in parallel and gives entries in order.

use jwalk::{Parallelism, WalkDirGeneric};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::time::Instant;
use tree_walk_peers::{Arguments, Counts, Sum};

/// What the threads that read have found out of an entry: size and seconds.
type Status = Option<(u64, u64)>;

fn main() {
    let arguments = Arguments::new();
    let start = Instant::now();
    let threads = match arguments.jobs {
        0 => std::thread::available_parallelism().map_or(1, |count| count.get()),
        jobs => jobs,
    };
    let status = arguments.status;
    let walk = WalkDirGeneric::<((), Status)>::new(&arguments.folder)
        .skip_hidden(false)
        .min_depth(1)
        .parallelism(Parallelism::RayonNewPool(threads))
        .process_read_dir(move |_, _, _, children| {
            if !status {
                return;
            }
            for child in children.iter_mut().flatten() {
                let metadata = child.metadata().expect("metadata");
                child.client_state = Some((metadata.len(), metadata.mtime() as u64));
            }
        });
    let mut counts = Counts::default();
    for entry in walk {
        let entry = entry.expect("entry");
        let is_folder = entry.file_type.is_dir();
        counts.entries += 1;
        counts.folders += is_folder as u64;
        counts.name_bytes += entry.file_name.as_bytes().len() as u64;
        if let Some((size, seconds)) = entry.client_state {
            counts.size_bytes += if is_folder { 0 } else { size };
            counts.times += seconds;
        }
    }
    let sum = Sum::default();
    sum.add(&counts);
    sum.report(threads, start);
}
