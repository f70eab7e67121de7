#ifndef ROOMS_C_OPENSSL_SIGNATURES_H
#define ROOMS_C_OPENSSL_SIGNATURES_H

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stddef.h>

// None of these leaves anything in the thread's error queue, which connections of the same thread look at.

// A public key for RS256 from its modulus and exponent, big-endian. NULL when they are no key.
EVP_PKEY *rooms_key_rsa(const unsigned char *modulus, size_t modulus_count, const unsigned char *exponent,
                        size_t exponent_count);

// A public key for ES256 from the coordinates of its point, 32 bytes each. NULL when it is not on the curve.
EVP_PKEY *rooms_key_p256(const unsigned char *x, const unsigned char *y);

// Whether the signature under SHA-256 is the key's: PKCS #1 v1.5 for RSA, the two numbers side by side (64 bytes) for
// an elliptic curve. May be called with one key on several threads at once.
bool rooms_key_verify(EVP_PKEY *key, const unsigned char *message, size_t message_count, const unsigned char *signature,
                      size_t signature_count);

// A private key in PEM without a pass phrase: RSA of at least 2,048 bits, or an elliptic one on the curve P-256. NULL when it is
// none, or another.
EVP_PKEY *rooms_key_private(const unsigned char *pem, size_t count);

bool rooms_key_is_elliptic(EVP_PKEY *key);

// Signs under SHA-256, in the form that `rooms_key_verify` takes. Answers how many bytes it has written, 0 when it cannot, or when
// there are more than `capacity`.
size_t rooms_key_sign(EVP_PKEY *key, const unsigned char *message, size_t message_count, unsigned char *signature,
                      size_t capacity);

// Writes the 32 bytes of an HMAC under SHA-256. False only when libcrypto fails.
bool rooms_hmac_sha256(const unsigned char *key, size_t key_count, const unsigned char *message, size_t message_count,
                       unsigned char *out);

// False when the digest cannot be made.
bool rooms_sha256(const unsigned char *bytes, size_t count, unsigned char *out);

// The same for all bytes of an open file, of which few are in memory at a time. False also when it cannot be read.
bool rooms_sha256_file(int descriptor, unsigned char *out);

// Whether the bytes are the same, in a time that does not tell where they differ.
bool rooms_same_bytes(const unsigned char *one, const unsigned char *other, size_t count);

// Lets connections with these parameters end their handshake only with a server whose certificate names this host. An
// address is compared as one.
bool rooms_tls_require_host(X509_VERIFY_PARAM *parameters, const char *host, bool is_address);

// Lets a client's connection end its handshake only with a server whose certificate names this host, and tells the
// server the name. An address is compared as one and not told.
bool rooms_tls_expect_host(SSL *ssl, const char *host, bool is_address);

// Why a handshake ended, with what was wrong with the certificate if it was that.
void rooms_tls_client_fault(const SSL *ssl, char *fault, size_t fault_size);

#endif
