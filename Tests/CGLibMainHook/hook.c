/*
 * Iterates GLib's default main context while Swift's concurrency runtime waits for main-actor work.
 *
 * An async `main`, and with it every test run, drains the main queue by dispatch_main(), which ends the main
 * thread: main-actor code then runs on worker threads, and GLib's main context is never iterated. The runtime
 * has a hook that replaces this step for the whole process. Only tests may use it, never the library.
 */
#define _GNU_SOURCE
#include "CGLibMainHook.h"

#include <glib-unix.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

/* As swift/Runtime/Concurrency.h declares them. */
typedef __attribute__((swiftcall)) void (*drain_original)(void);
typedef __attribute__((swiftcall)) void (*drain_override)(drain_original original);
extern __attribute__((swiftcall)) void (*swift_task_asyncMainDrainQueue_hook)(
    drain_original original, drain_override override);

/* The priority of redraws: a main queue that refills itself must not keep GTK from painting. */
enum { PRIORITY = 120 };

static atomic_bool draining;

static gboolean drain_main_queue(gint fd, GIOCondition condition, gpointer data)
{
    (void)condition;
    (void)data;
    /* Acknowledge first: a block that arrives while the queue is drained sets the event again. */
    uint64_t events;
    ssize_t size = read(fd, &events, sizeof events);
    (void)size;
    _dispatch_main_queue_callback_4CF(NULL);
    return G_SOURCE_CONTINUE;
}

static __attribute__((swiftcall)) void iterate_glib(drain_original original, drain_override override)
{
    (void)original;
    (void)override;
    atomic_store(&draining, true);
    int fd = _dispatch_get_main_queue_handle_4CF();
    g_unix_fd_add_full(PRIORITY, fd, G_IO_IN, drain_main_queue, NULL, NULL);
    for (;;) {
        g_main_context_iteration(NULL, TRUE);
    }
}

bool cglib_main_hook_is_draining(void)
{
    return atomic_load(&draining);
}

bool cglib_main_hook_is_main_thread(void)
{
    return syscall(SYS_gettid) == getpid();
}

__attribute__((constructor)) static void install(void)
{
    swift_task_asyncMainDrainQueue_hook = iterate_glib;
}
