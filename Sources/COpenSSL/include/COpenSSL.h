#ifndef ROOMS_C_OPENSSL_H
#define ROOMS_C_OPENSSL_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <stdbool.h>

#include "signatures.h"

// The ciphertext of the one connection that a thread is working on. Every connection of a thread shares it, so an idle
// connection holds no buffer: input points at what was just received, output fills until the thread sends it on.
struct rooms_tls_io {
    const unsigned char *input;
    size_t input_count;
    unsigned char *output;
    size_t output_count;
    size_t output_capacity;
};

// A server's context: TLS 1.2 at least, HTTP/1.1 by ALPN, no compression, no renegotiation. NULL with a sentence in
// `fault` when the files do not make one.
SSL_CTX *rooms_tls_context(const char *certificate, const char *key, bool require_1_3, char *fault, size_t fault_size);

// A client's context that trusts the authorities of one file, or the system's when it is NULL.
SSL_CTX *rooms_tls_client_context(const char *authorities, char *fault, size_t fault_size);

// Makes a context of another library as strict as that one, for one host (`rooms_tls_require_host`), and writes its keys
// to no file, whatever SSLKEYLOGFILE says. False when the authorities cannot be read.
bool rooms_tls_set_trust(SSL_CTX *context, const char *authorities, const char *host, bool is_address);

// A connection whose records pass through `io`.
SSL *rooms_tls_new(SSL_CTX *context, struct rooms_tls_io *io, bool client);

// Lets it work through another thread's buffers.
void rooms_tls_set_io(SSL *ssl, struct rooms_tls_io *io);

#endif
