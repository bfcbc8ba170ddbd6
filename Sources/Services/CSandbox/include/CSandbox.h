// System calls of a decoder that runs in a locked-down process: the arena that it shares with its parent, the
// start and the end of the process, and the lock-down itself.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The descriptors of a decoder process.
enum { kf_sandbox_channel = 3, kf_sandbox_arena = 4 };

// Creates empty shared memory that can grow but never shrink, so that a reader in the parent cannot be made
// to read past its end. Returns a descriptor, or -1 with errno.
int kf_sandbox_create_arena(void);

// Returns the pages of an arena from `offset` on to the system; they read as zeros afterwards. Returns 0, or
// -1 with errno.
int kf_sandbox_release_arena(int arena, off_t offset);

// Maps the first `length` bytes of an arena for reading and writing. Bytes beyond its present size can be
// used when it has grown. Returns NULL on failure.
void *_Nullable kf_sandbox_map_arena(int arena, size_t length);

// Starts a program with the two descriptors above, /dev/null as its standard streams, no other descriptor,
// default signal handlers, and a new process group. Stores the process and a descriptor of it, which
// the caller closes. Returns 0, or an error number.
int kf_sandbox_spawn(
    const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull environment, int channel, int arena, pid_t *_Nonnull process,
    int *_Nonnull descriptor);

// An environment variable; NULL without it, and in a program that has more rights than its user.
const char *_Nullable kf_sandbox_variable(const char *_Nonnull name);

// Ends the process of a descriptor by SIGKILL, also if it has ended.
void kf_sandbox_kill(int descriptor);

// Waits for the end of a process of this one, for at most `milliseconds`. Stores the signal that ended it, or
// 0, and its exit status. Returns false if it is still running, or another caller has waited for it.
bool kf_sandbox_wait(int descriptor, int milliseconds, int *_Nonnull signal, int *_Nonnull status);

// The CPU time of a process in nanoseconds; -1 if it has ended.
int64_t kf_sandbox_cpu_time(pid_t process);

// The measures of a lock-down, as bits.
enum {
    kf_sandbox_seccomp = 1 << 0,
    kf_sandbox_limits = 1 << 1,
    kf_sandbox_no_new_privileges = 1 << 2,
    kf_sandbox_landlock = 1 << 3,
    kf_sandbox_identity = 1 << 4,
    kf_sandbox_namespaces = 1 << 5,
};

// What a decoder with fonts may have: open files, and threads where it runs in a separate user namespace, in
// which they are counted.
enum { kf_sandbox_font_files = 64, kf_sandbox_font_threads = 256 };

// The lock-down of the calling process, in three steps, which return the measures that are in force. Threads
// that were started before the first two are not confined by them; the third one confines all.

// Gives up the identity, capabilities and further privileges. The process must have one thread.
uint32_t kf_sandbox_lower_privileges(void);

// Closes all files, except that some, and those below some folders, can be read. Does nothing in a process
// with several threads, which would not all be confined.
uint32_t kf_sandbox_close_files(const char *_Nullable const *_Nonnull paths, size_t count);

// Restricts system calls and resources, for good. The process may use `memory` bytes of address space more
// than now, and `seconds` of CPU time in all. It keeps its descriptors and gets no other one, unless it
// `opens_fonts`, for which it may open files and start threads. Under a sanitizer, which needs more than
// that, system calls and address space are not restricted.
uint32_t kf_sandbox_restrict(uint64_t memory, uint64_t seconds, bool opens_fonts);
