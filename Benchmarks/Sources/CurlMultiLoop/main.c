// A peer of the download rows: only libcurl's multi interface, used as in its manual.
//
//   CurlMultiLoop BASE_URL COUNT CONCURRENCY [file]
//
// loads BASE_URL followed by 0 ... COUNT-1, with the protocol of Worker.swift: each into separate memory, or
// into a file without a name in the folder for temporary files.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    CURL *easy;
    char *bytes;
    size_t count, capacity;
    int file;
} Transfer;

static const char *base;
static long count, concurrency;
static CURLM *multi;
static Transfer *transfers;
static const char *folder;

static void fail(const char *text) {
    fprintf(stderr, "CurlMultiLoop: %s\n", text);
    exit(1);
}

static size_t take(char *bytes, size_t size, size_t number, void *owner) {
    Transfer *transfer = owner;
    size_t added = size * number;
    if (folder) {
        if (transfer->file < 0) transfer->file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (transfer->file < 0 || write(transfer->file, bytes, added) != (ssize_t)added) return 0;
        transfer->count += added;
        return added;
    }
    if (transfer->count + added > transfer->capacity) {
        curl_off_t announced = 0;
        curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
        size_t wanted = transfer->count + added;
        if ((size_t)announced > wanted) wanted = (size_t)announced;
        char *grown = realloc(transfer->bytes, wanted);
        if (!grown) return 0;
        transfer->bytes = grown;
        transfer->capacity = wanted;
    }
    memcpy(transfer->bytes + transfer->count, bytes, added);
    transfer->count += added;
    return added;
}

static void start(Transfer *transfer, long number) {
    char url[1024];
    snprintf(url, sizeof url, "%s%ld", base, number);
    curl_easy_setopt(transfer->easy, CURLOPT_URL, url);
    if (curl_multi_add_handle(multi, transfer->easy) != CURLM_OK) fail("curl_multi_add_handle");
}

static void end(Transfer *transfer, CURLcode code) {
    long status = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK || status != 200 || transfer->count == 0) fail(curl_easy_strerror(code));
    curl_multi_remove_handle(multi, transfer->easy);
    if (transfer->file >= 0) close(transfer->file);
    transfer->file = -1;
    free(transfer->bytes);
    transfer->bytes = NULL;
    transfer->count = transfer->capacity = 0;
}

static void run(void) {
    long started = 0, ended = 0;
    while (started < concurrency && started < count) {
        start(&transfers[started], started);
        started++;
    }
    while (ended < count) {
        int running, left;
        curl_multi_perform(multi, &running);
        CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &left))) {
            if (message->msg != CURLMSG_DONE) continue;
            Transfer *transfer;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
            end(transfer, message->data.result);
            ended++;
            if (started < count) start(transfer, started++);
        }
        if (ended < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
}

static long long now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc < 4) fail("usage: CurlMultiLoop BASE_URL COUNT CONCURRENCY [file]");
    const char *temporary = getenv("TMPDIR");
    if (argc > 4) folder = temporary ? temporary : "/var/tmp";
    // A warm heap: by default, each buffer of libcurl would be a new mapping, whose pages the kernel clears.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    base = argv[1];
    count = atol(argv[2]);
    concurrency = atol(argv[3]);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, concurrency);
    transfers = calloc((size_t)concurrency, sizeof *transfers);
    for (long i = 0; i < concurrency; i++) {
        CURL *easy = transfers[i].easy = curl_easy_init();
        transfers[i].file = -1;
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L << 10);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfers[i]);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfers[i]);
    }
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, "clocks\n") != 0) fail("unknown command");
        long long wall = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
        run();
        printf("%lld %lld\n", now(CLOCK_MONOTONIC) - wall, now(CLOCK_PROCESS_CPUTIME_ID) - processor);
        fflush(stdout);
    }
    return 0;
}
