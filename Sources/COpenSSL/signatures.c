#include "signatures.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

// MARK: Keys

static EVP_PKEY *make_key(const char *type, OSSL_PARAM *parameters) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (!context || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}

static EVP_PKEY *checked(EVP_PKEY *key) {
    EVP_PKEY_CTX *context = key ? EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL) : NULL;
    bool is_good = context && EVP_PKEY_public_check(context) == 1;
    EVP_PKEY_CTX_free(context);
    if (!is_good) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    ERR_clear_error();
    return key;
}

EVP_PKEY *rooms_key_rsa(const unsigned char *modulus, size_t modulus_count, const unsigned char *exponent,
                        size_t exponent_count) {
    if (modulus_count > INT_MAX || exponent_count > INT_MAX) return NULL;
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    BIGNUM *n = BN_bin2bn(modulus, (int)modulus_count, NULL);
    BIGNUM *e = BN_bin2bn(exponent, (int)exponent_count, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (n && e && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
        parameters = OSSL_PARAM_BLD_to_param(builder);
    if (parameters) key = make_key("RSA", parameters);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    BN_free(e);
    BN_free(n);
    return checked(key);
}

EVP_PKEY *rooms_key_p256(const unsigned char *x, const unsigned char *y) {
    char group[] = "prime256v1";
    unsigned char point[65];
    point[0] = POINT_CONVERSION_UNCOMPRESSED;
    memcpy(point + 1, x, 32);
    memcpy(point + 33, y, 32);
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point),
        OSSL_PARAM_construct_end(),
    };
    return checked(make_key("EC", parameters));
}

// MARK: Signatures

// libcrypto knows an ECDSA signature as a DER sequence of its two numbers. Gives its length; 0 when there is none.
static size_t ecdsa_der(const unsigned char *raw, unsigned char *out, size_t capacity) {
    size_t count = 0;
    ECDSA_SIG *signature = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(raw, 32, NULL);
    BIGNUM *s = BN_bin2bn(raw + 32, 32, NULL);
    if (!signature || !r || !s || ECDSA_SIG_set0(signature, r, s) != 1) {
        BN_free(r);
        BN_free(s);
    } else {
        int length = i2d_ECDSA_SIG(signature, NULL);
        if (length > 0 && (size_t)length <= capacity) count = (size_t)i2d_ECDSA_SIG(signature, &out);
    }
    ECDSA_SIG_free(signature);
    return count;
}

bool rooms_key_verify(EVP_PKEY *key, const unsigned char *message, size_t message_count, const unsigned char *signature,
                      size_t signature_count) {
    unsigned char der[80];
    if (EVP_PKEY_get_base_id(key) == EVP_PKEY_EC) {
        if (signature_count != 64) return false;
        signature_count = ecdsa_der(signature, der, sizeof der);
        signature = der;
    }
    // RSA's padding is PKCS #1 v1.5 unless another one is set.
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_good = signature_count > 0 && context &&
                   EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
                   EVP_DigestVerify(context, signature, signature_count, message, message_count) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return is_good;
}

EVP_PKEY *rooms_key_private(const unsigned char *pem, size_t count) {
    EVP_PKEY *key = NULL;
    BIO *bytes = count > INT_MAX ? NULL : BIO_new_mem_buf(pem, (int)count);
    // Without a pass phrase, libcrypto would ask the terminal for one.
    if (bytes) key = PEM_read_bio_PrivateKey(bytes, NULL, NULL, "");
    BIO_free(bytes);
    char group[32] = "";
    size_t size = 0;
    const bool is_usable =
        key && ((EVP_PKEY_is_a(key, "RSA") && EVP_PKEY_get_bits(key) >= 2048) ||
                (EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(key, group, sizeof group, &size) == 1 &&
                 strcmp(group, "prime256v1") == 0));
    ERR_clear_error();
    if (is_usable) return key;
    EVP_PKEY_free(key);
    return NULL;
}

bool rooms_key_is_elliptic(EVP_PKEY *key) { return EVP_PKEY_is_a(key, "EC"); }

// The two numbers of a signature side by side, 32 bytes each.
static bool put_numbers(const unsigned char *der, size_t count, unsigned char *out) {
    ECDSA_SIG *numbers = d2i_ECDSA_SIG(NULL, &der, (long)count);
    const bool is_put = numbers && BN_bn2binpad(ECDSA_SIG_get0_r(numbers), out, 32) == 32 &&
                        BN_bn2binpad(ECDSA_SIG_get0_s(numbers), out + 32, 32) == 32;
    ECDSA_SIG_free(numbers);
    return is_put;
}

size_t rooms_key_sign(EVP_PKEY *key, const unsigned char *message, size_t message_count, unsigned char *signature,
                      size_t capacity) {
    unsigned char bytes[1024];
    size_t count = sizeof bytes;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_made = context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
                   EVP_DigestSign(context, bytes, &count, message, message_count) == 1;
    EVP_MD_CTX_free(context);
    if (is_made && rooms_key_is_elliptic(key)) {
        is_made = capacity >= 64 && put_numbers(bytes, count, signature);
        count = 64;
    } else if (is_made) {
        is_made = count <= capacity;
        if (is_made) memcpy(signature, bytes, count);
    }
    ERR_clear_error();
    return is_made ? count : 0;
}

bool rooms_hmac_sha256(const unsigned char *key, size_t key_count, const unsigned char *message, size_t message_count,
                       unsigned char *out) {
    unsigned int count = 0;
    if (key_count > INT_MAX) return false;
    bool is_made = HMAC(EVP_sha256(), key, (int)key_count, message, message_count, out, &count) && count == 32;
    ERR_clear_error();
    return is_made;
}

bool rooms_sha256(const unsigned char *bytes, size_t count, unsigned char *out) {
    unsigned int size = 0;
    bool is_made = EVP_Digest(bytes, count, out, &size, EVP_sha256(), NULL) == 1 && size == 32;
    ERR_clear_error();
    return is_made;
}

bool rooms_sha256_file(int descriptor, unsigned char *out) {
    static const size_t piece_bytes = 64 << 10;
    unsigned char *piece = malloc(piece_bytes);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_made = piece && context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
    off_t place = 0;
    while (is_made) {
        ssize_t got = pread(descriptor, piece, piece_bytes, place);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) break;
        is_made = got > 0 && EVP_DigestUpdate(context, piece, (size_t)got) == 1;
        place += got;
    }
    is_made = is_made && EVP_DigestFinal_ex(context, out, NULL) == 1;
    EVP_MD_CTX_free(context);
    free(piece);
    ERR_clear_error();
    return is_made;
}

bool rooms_same_bytes(const unsigned char *one, const unsigned char *other, size_t count) {
    return CRYPTO_memcmp(one, other, count) == 0;
}

// MARK: The server on the other side

bool rooms_tls_require_host(X509_VERIFY_PARAM *parameters, const char *host, bool is_address) {
    if (is_address) return X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1;
    X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1;
}

bool rooms_tls_expect_host(SSL *ssl, const char *host, bool is_address) {
    return rooms_tls_require_host(SSL_get0_param(ssl), host, is_address) &&
           (is_address || SSL_set_tlsext_host_name(ssl, host) == 1);
}

void rooms_tls_client_fault(const SSL *ssl, char *fault, size_t fault_size) {
    long verified = SSL_get_verify_result(ssl);
    unsigned long code = ERR_peek_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    if (verified != X509_V_OK) reason = X509_verify_cert_error_string(verified);
    snprintf(fault, fault_size, "%s", reason ? reason : "the connection ended");
    ERR_clear_error();
}
