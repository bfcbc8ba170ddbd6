#pragma once

/// The number of allocations of the calling thread by malloc and related functions.
///
/// The functions in this file replace those of glibc for the whole process: a definition of `malloc` in a
/// program is also used by the libraries it loads ("Replacing malloc" in glibc's manual). `realloc` counts as
/// an allocation.
unsigned long kf_allocations(void);
