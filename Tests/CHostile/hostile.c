#define _GNU_SOURCE
#include "CHostile.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int channel = 3, arena = 4;
static pid_t parent;

void hostile_prepare(void) { parent = getppid(); }

static void *nothing(void *unused) { return unused; }

static void run_program(void) {
    char *arguments[] = {"/bin/true", NULL};
    execve(arguments[0], arguments, NULL);
}

static void use_memory(void) {
    const size_t count = (size_t)10 << 30;
    char *bytes = malloc(count);
    bytes[count - 1] = 1;  // A library that does not check.
}

static void run_own_code(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) munmap(page, 4096);
}

static void start_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
}

static void *sleep_forever(void *unused) {
    pthread_mutex_t *locked = unused;
    pthread_mutex_lock(locked);
    return NULL;
}

// With small stacks, so that memory is not what ends them.
static int start_many_threads(void) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    for (int i = 0; i < 2000; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, sleep_forever, &mutex)) return -1;
    }
    return 0;
}

static int compare(const void *one, const void *other) { return *(const char *)one - *(const char *)other; }

// As an innocent library does; the C library asks for the size of the memory.
static int sort(void) {
    static char bytes[4096];
    qsort(bytes, sizeof bytes, 1, compare);
    return -1;
}

static int denied(int file) { return file < 0 ? -1 : 0; }

static int is_open(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char byte;
    return file >= 0 && read(file, &byte, 1) == 1 ? 0 : -1;
}

static void *open_in_thread(void *path) { return (void *)(intptr_t)is_open(path); }

static int is_open_in_thread(const char *path) {
    pthread_t thread;
    void *result = (void *)-1;
    if (pthread_create(&thread, NULL, open_in_thread, (void *)path) == 0) pthread_join(thread, &result);
    return (int)(intptr_t)result;
}

static void raise_limit(void) {
    struct rlimit limit = {.rlim_cur = 100, .rlim_max = 100};
    setrlimit(RLIMIT_NOFILE, &limit);
}

int hostile_act(const char *name) {
    if (!strncmp(name, "open ", 5)) return is_open(name + 5);
    if (!strncmp(name, "thread open ", 12)) return is_open_in_thread(name + 12);
    if (!strcmp(name, "threads")) return start_many_threads();
    if (!strcmp(name, "create")) return denied(open("/tmp/kingfisher-hostile", O_WRONLY | O_CREAT, 0600));
    if (!strcmp(name, "list")) return denied(open("/usr/share/fonts", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!strcmp(name, "sort")) return sort();
    if (!strcmp(name, "connect")) socket(AF_INET, SOCK_STREAM, 0);
    else if (!strcmp(name, "fork")) fork();
    else if (!strcmp(name, "exec")) run_program();
    else if (!strcmp(name, "thread")) start_thread();
    else if (!strcmp(name, "ptrace")) ptrace(PTRACE_ATTACH, parent, NULL, NULL);
    else if (!strcmp(name, "kill")) kill(parent, SIGTERM);
    else if (!strcmp(name, "code")) run_own_code();
    else if (!strcmp(name, "limit")) raise_limit();
    else if (!strcmp(name, "shrink")) (void)!ftruncate(arena, 0);
    else if (!strcmp(name, "write")) (void)!write(arena, "x", 1);
    else if (!strcmp(name, "loop")) for (volatile int i = 0;; i++) {}
    else if (!strcmp(name, "sleep")) hostile_send("", 0), (void)!recv(channel, &(char){0}, 1, 0);
    else if (!strcmp(name, "memory")) use_memory();
    else if (!strcmp(name, "abort")) abort();
    else if (!strcmp(name, "exit")) _exit(0);
    else if (!strcmp(name, "close")) close(channel);
    else return -1;
    return 0;
}

void hostile_send(const void *bytes, size_t count) {
    if (count) send(channel, bytes, count, MSG_NOSIGNAL);
}

void hostile_rewrite_arena(void) {
    volatile uint8_t *bytes = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, arena, 0);
    if (bytes == MAP_FAILED) abort();
    for (unsigned round = 0;; round++) {
        for (unsigned i = 0; i < 1 << 20; i += 64) bytes[i] = (uint8_t)(round + i);
    }
}
