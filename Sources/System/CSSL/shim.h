#pragma once
#if !__has_include(<openssl/ssl.h>)
#error "<openssl/ssl.h> is missing: run `make setup` (it installs libssl-dev)"
#endif
#include <openssl/err.h>
#include <openssl/ssl.h>

// Macros, which Swift cannot call.

static inline long kf_ssl_set_versions(SSL_CTX *context, int oldest, int newest) {
    return SSL_CTX_set_min_proto_version(context, oldest) && SSL_CTX_set_max_proto_version(context, newest);
}

/// `wanted` is the one protocol of the server, after a byte with its length (RFC 7301, 3.1).
static inline int kf_ssl_choose_protocol(
    SSL *ssl, const unsigned char **chosen, unsigned char *length, const unsigned char *offered, unsigned int count,
    void *wanted) {
    const unsigned char *protocol = wanted;
    (void)ssl;
    int found = SSL_select_next_proto((unsigned char **)chosen, length, protocol, protocol[0] + 1u, offered, count);
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

static inline void kf_ssl_speak_http_1_1(SSL_CTX *context) {
    SSL_CTX_set_alpn_select_cb(context, kf_ssl_choose_protocol, "\x08http/1.1");
}

static inline void kf_ssl_speak_http_2(SSL_CTX *context) {
    SSL_CTX_set_alpn_select_cb(context, kf_ssl_choose_protocol, "\x02h2");
}

/// Writes the common name of the peer's certificate. Returns -1 if there is no certificate.
static inline int kf_ssl_peer_name(SSL *ssl, char *text, int capacity) {
    X509 *certificate = SSL_get1_peer_certificate(ssl);
    if (certificate == NULL) return -1;
    int count = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text, capacity);
    X509_free(certificate);
    return count;
}
