#pragma once
#if !__has_include(<openssl/sha.h>)
#error "<openssl/sha.h> is missing: run `make setup` (it installs libssl-dev)"
#endif
// The plain functions need no provider. The EVP functions fail after OpenSSL's cleanup at exit, while another
// thread may still be writing to a cache. OpenSSL 3 marks the plain functions as deprecated.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <openssl/sha.h>

/// Writes the SHA-256 of `count` bytes to `digest`, 32 bytes.
static inline void kf_sha256(const void *bytes, size_t count, unsigned char *digest)
{
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, bytes, count);
    SHA256_Final(digest, &context);
}

/// Writes the MD5 of `count` bytes to `digest`, 16 bytes.
static inline void kf_md5(const void *bytes, size_t count, unsigned char *digest)
{
    MD5_CTX context;
    MD5_Init(&context);
    MD5_Update(&context, bytes, count);
    MD5_Final(digest, &context);
}

/// Writes the HMAC (RFC 2104) of `count` bytes with a hash function of `size` bytes, 20, 32 or 64: SHA-1,
/// SHA-256 or SHA-512. False if libcrypto cannot compute it.
static inline _Bool kf_hmac(
    size_t size, const void *key, size_t key_count, const void *bytes, size_t count, unsigned char *digest)
{
    const EVP_MD *hash = size == 20 ? EVP_sha1() : size == 32 ? EVP_sha256() : EVP_sha512();
    return HMAC(hash, key, (int)key_count, bytes, count, digest, NULL) != NULL;
}

/// Whether `count` bytes are equal, in a time that does not depend on the bytes.
static inline _Bool kf_same_secret(const void *one, const void *other, size_t count)
{
    return CRYPTO_memcmp(one, other, count) == 0;
}

/// Keeps OpenSSL from freeing its memory at exit, which crashes threads that still use it. Must be called
/// before OpenSSL is initialized.
static inline void kf_skip_cleanup_at_exit(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }
