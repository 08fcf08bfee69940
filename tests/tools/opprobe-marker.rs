// SPDX-License-Identifier: GPL-2.0-or-later
// Panics through marked frames, in four threads, with what is to be dropped on the way; some are thrown on by who catches them.
use std::panic::{catch_unwind, resume_unwind, set_hook};
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;

extern "C" {
    fn marks_begin();
    fn mark();
}

static LIVE: AtomicI64 = AtomicI64::new(0);

struct Counted;

impl Counted {
    fn new() -> Counted {
        LIVE.fetch_add(1, Ordering::Relaxed);
        Counted
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

#[inline(never)]
fn panics(depth: u64, is_thrown: bool) -> u64 {
    let _counted = Counted::new();
    if depth == 7 {
        return match catch_unwind(|| panics(6, is_thrown)) {
            Ok(n) => n + 1,
            Err(e) => resume_unwind(e),
        };
    }
    if depth > 0 {
        return panics(depth - 1, is_thrown) + 1;
    }
    unsafe { mark() };
    if is_thrown {
        panic!("{}", depth);
    }
    1
}

fn main() {
    let nr: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    unsafe { marks_begin() };
    set_hook(Box::new(|_| {}));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            thread::spawn(move || {
                let mut caught = 0;
                for i in 0..nr {
                    match catch_unwind(|| panics(i % 19, i % 2 == 1)) {
                        Ok(n) => assert_eq!(n, i % 19 + 1),
                        Err(_) => caught += 1,
                    }
                }
                assert_eq!(caught, nr / 2);
            })
        })
        .collect();
    for t in threads {
        t.join().unwrap();
    }
    assert_eq!(LIVE.load(Ordering::Relaxed), 0);
    println!("done");
    std::process::exit(42);
}
