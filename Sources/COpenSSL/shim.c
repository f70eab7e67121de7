#include "COpenSSL.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

// A program may end while its threads still use OpenSSL, or free what they used. The library's own clean-up at the exit
// would take that from them in the middle of it; the system frees the memory without it.
__attribute__((constructor)) static void keep_until_the_end(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

static int io_read(BIO *bio, char *out, int wanted) {
    struct rooms_tls_io *io = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (wanted <= 0) return 0;
    if (io->input_count == 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    size_t count = (size_t)wanted < io->input_count ? (size_t)wanted : io->input_count;
    memcpy(out, io->input, count);
    io->input += count;
    io->input_count -= count;
    return (int)count;
}

static int io_write(BIO *bio, const char *in, int wanted) {
    struct rooms_tls_io *io = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (wanted <= 0) return 0;
    size_t room = io->output_capacity - io->output_count;
    if (room == 0) {
        BIO_set_retry_write(bio);
        return -1;
    }
    size_t count = (size_t)wanted < room ? (size_t)wanted : room;
    memcpy(io->output + io->output_count, in, count);
    io->output_count += count;
    return (int)count;
}

static long io_control(BIO *bio, int command, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

static BIO_METHOD *io_method;

static void make_io_method(void) {
    io_method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "rooms");
    if (!io_method) return;
    BIO_meth_set_read(io_method, io_read);
    BIO_meth_set_write(io_method, io_write);
    BIO_meth_set_ctrl(io_method, io_control);
}

static int choose_http(SSL *ssl, const unsigned char **out, unsigned char *out_length, const unsigned char *in,
                       unsigned int in_length, void *argument) {
    static const unsigned char ours[] = "\x08http/1.1";
    unsigned char *chosen;
    (void)ssl, (void)argument;
    if (SSL_select_next_proto(&chosen, out_length, ours, sizeof ours - 1, in, in_length) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

static SSL_CTX *fail(SSL_CTX *context, const char *what, char *fault, size_t fault_size) {
    char reason[256] = "";
    unsigned long code = ERR_peek_last_error();
    if (code) ERR_error_string_n(code, reason, sizeof reason);
    ERR_clear_error();
    snprintf(fault, fault_size, "%s%s%s", what, code ? ": " : "", reason);
    SSL_CTX_free(context);
    return NULL;
}

static void set_common(SSL_CTX *context) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

SSL_CTX *rooms_tls_context(const char *certificate, const char *key, bool require_1_3, char *fault, size_t fault_size) {
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (!context) return fail(NULL, "no TLS context", fault, fault_size);
    set_common(context);
    if (require_1_3) SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_session_id_context(context, (const unsigned char *)"rooms", 5);
    SSL_CTX_set_num_tickets(context, 1);
    SSL_CTX_set_alpn_select_cb(context, choose_http, NULL);
    if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1)
        return fail(context, "the certificate cannot be used", fault, fault_size);
    if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1)
        return fail(context, "the private key cannot be used", fault, fault_size);
    if (SSL_CTX_check_private_key(context) != 1)
        return fail(context, "the private key does not belong to the certificate", fault, fault_size);
    return context;
}

static bool trust(SSL_CTX *context, const char *authorities) {
    return authorities ? SSL_CTX_load_verify_locations(context, authorities, NULL) == 1
                       : SSL_CTX_set_default_verify_paths(context) == 1;
}

SSL_CTX *rooms_tls_client_context(const char *authorities, char *fault, size_t fault_size) {
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!context) return fail(NULL, "no TLS context", fault, fault_size);
    set_common(context);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    if (!trust(context, authorities)) return fail(context, "the certificate authorities cannot be read", fault, fault_size);
    return context;
}

bool rooms_tls_set_trust(SSL_CTX *context, const char *authorities, const char *host, bool is_address) {
    set_common(context);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_keylog_callback(context, NULL);
    bool is_set = trust(context, authorities) && rooms_tls_require_host(SSL_CTX_get0_param(context), host, is_address);
    ERR_clear_error();
    return is_set;
}

SSL *rooms_tls_new(SSL_CTX *context, struct rooms_tls_io *io, bool client) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_io_method);
    if (!io_method) return NULL;
    SSL *ssl = SSL_new(context);
    BIO *bio = ssl ? BIO_new(io_method) : NULL;
    if (!bio) {
        SSL_free(ssl);
        return NULL;
    }
    BIO_set_data(bio, io);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    if (client)
        SSL_set_connect_state(ssl);
    else
        SSL_set_accept_state(ssl);
    return ssl;
}

void rooms_tls_set_io(SSL *ssl, struct rooms_tls_io *io) { BIO_set_data(SSL_get_rbio(ssl), io); }
