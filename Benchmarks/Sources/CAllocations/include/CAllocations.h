#pragma once

/// Blocks that the calling thread has taken so far, by any of malloc's functions.
///
/// The functions of this file stand in front of glibc's for the whole process: a program's own
/// definition of `malloc` also serves the libraries it loads ("Replacing malloc" in glibc's
/// manual). `realloc` counts as a block.
unsigned long kf_allocations(void);
