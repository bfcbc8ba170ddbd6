#pragma once
#if !__has_include(<curl/curl.h>)
#error "<curl/curl.h> is missing: run `make setup` (it installs libcurl4-openssl-dev)"
#endif
#include <curl/curl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#if LIBCURL_VERSION_NUM < 0x075500
#error "libcurl 7.85 or later is needed (CURLOPT_PROTOCOLS_STR, CURLOPT_PREREQFUNCTION)"
#endif

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift cannot call.
// One function per argument type also keeps a wrong type from compiling.

static inline CURLcode kf_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode kf_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode kf_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode kf_curl_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode kf_curl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = { (void *)bytes, count, CURL_BLOB_COPY };
    return curl_easy_setopt(easy, option, &blob);
}
static inline CURLcode kf_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode kf_curl_set_data_function(CURL *easy, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode kf_curl_set_socket_function(CURL *easy, curl_opensocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode kf_curl_set_close_function(CURL *easy, curl_closesocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}
static inline CURLcode kf_curl_set_prerequest_function(CURL *easy, curl_prereq_callback value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLcode kf_curl_set_ssl_context_function(CURL *easy, curl_ssl_ctx_callback value) {
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, value);
}
static inline CURLMcode kf_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLcode kf_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode kf_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode kf_curl_get_string(CURL *easy, CURLINFO info, const char **value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode kf_curl_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}

/// The result in a CURLMSG_DONE message; Swift does not import the union that holds it.
static inline CURLcode kf_curl_message_result(const CURLMsg *message) { return message->data.result; }

/// Milliseconds since the last byte arrived on a TCP connection; -1 if the system cannot tell.
static inline long kf_socket_idle_time(int socket) {
    struct tcp_info info;
    socklen_t length = sizeof(info);
    const size_t needed = offsetof(struct tcp_info, tcpi_last_data_recv) + sizeof(info.tcpi_last_data_recv);
    // Emulators of user programs, such as qemu-aarch64, return four bytes.
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || length < needed) return -1;
    return info.tcpi_last_data_recv;
}

/// The bytes that the program has read from a TCP connection; 0 if the system cannot tell.
///
/// glibc's tcp_info ends before tcpi_bytes_received (Linux 4.1), which is at offset 128 in linux/tcp.h.
static inline long kf_socket_bytes_read(int socket) {
    enum { offset = 128 };
    uint64_t received = 0;
    unsigned char info[offset + sizeof(received)];
    socklen_t length = sizeof(info);
    int unread = 0;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, info, &length) != 0 || length < sizeof(info)) return 0;
    memcpy(&received, info + offset, sizeof(received));
    if (ioctl(socket, FIONREAD, &unread) != 0 || received < (uint64_t)unread) return 0;
    return (long)(received - (uint64_t)unread);
}

/// The local port of a connection; -1 if there is no such connection.
static inline int kf_socket_port(int socket) {
    struct sockaddr_in6 address;  // an IPv4 address has its port at the same offset
    socklen_t length = sizeof(address);
    if (getsockname(socket, (struct sockaddr *)&address, &length) != 0) return -1;
    return address.sin6_family == AF_INET6 || address.sin6_family == AF_INET ? ntohs(address.sin6_port) : -1;
}

/// Makes glibc keep freed memory for the next transfer.
///
/// libcurl allocates a receive buffer for every transfer and frees it afterwards. Until a larger block has
/// been freed once, glibc returns such memory to the system immediately and maps it again, page fault by page
/// fault (mallopt(3), "dynamic mmap threshold"). In a program that shows images, the first large image
/// changes that anyway.
static inline void kf_keep_freed_memory(void) {
    void *volatile block = malloc(4 << 20);  // volatile: compilers remove an unused malloc and free
    free(block);
}

/// Returns freed memory that the allocator holds to the system (malloc_trim(3)).
static inline void kf_return_freed_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

// glibc declares this under _GNU_SOURCE only. Foundation's Thread sets its name through a handle that the
// parent thread may store after the new thread has started, so the name is sometimes lost.
int pthread_setname_np(pthread_t thread, const char *name);

static inline void kf_name_this_thread(const char *name) { (void)pthread_setname_np(pthread_self(), name); }
