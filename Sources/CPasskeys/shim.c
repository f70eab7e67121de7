#include "rooms_passkeys.h"

#include <cbor.h>
#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>
#include <fido/rs256.h>
#include <openssl/sha.h>
#include <string.h>

enum { USER_PRESENT = 0x01, USER_VERIFIED = 0x04, HAS_PASSKEY = 0x40 };
enum { DOMAIN_HASH_LENGTH = 32 };

static const int ALGORITHMS[] = {COSE_ES256, COSE_EDDSA, COSE_RS256};

// The authenticator's data in an attestation object; null when there is none.
static const cbor_item_t *authenticator_data(const cbor_item_t *attestation) {
    if (!cbor_isa_map(attestation)) return NULL;
    const struct cbor_pair *pairs = cbor_map_handle(attestation);
    for (size_t index = 0; index < cbor_map_size(attestation); index++) {
        const cbor_item_t *name = pairs[index].key, *value = pairs[index].value;
        if (!cbor_isa_string(name) || !cbor_string_is_definite(name) || cbor_string_length(name) != 8) continue;
        if (memcmp(cbor_string_handle(name), "authData", 8) != 0) continue;
        return cbor_isa_bytestring(value) && cbor_bytestring_is_definite(value) ? value : NULL;
    }
    return NULL;
}

// libcbor 0.8 makes room for as many entries as a head names, before it reads them: a few bytes of input would take all of the
// memory. So nothing is given to it, or to libfido2, before this has gone over it. Gives the length of an item that has all
// the entries that it names; 0 for any other, and for what authenticators do not write.
static size_t item_length(const uint8_t *bytes, size_t length, int depth) {
    enum { DEPTH_MAX = 8 };
    if (length == 0 || depth > DEPTH_MAX) return 0;
    const int kind = bytes[0] >> 5, size = bytes[0] & 31;
    if (size > 27) return 0;
    const size_t argument_length = size < 24 ? 0 : (size_t)1 << (size - 24);
    size_t used = 1 + argument_length;
    if (used > length) return 0;
    uint64_t argument = argument_length ? 0 : (uint64_t)size;
    for (size_t index = 1; index < used; index++) argument = argument << 8 | bytes[index];
    const size_t left = length - used;
    switch (kind) {
    case 0: case 1: case 7: return used;
    case 2: case 3: return argument <= left ? used + (size_t)argument : 0;
    case 4: case 5: break;
    default: return 0;
    }
    if (argument > left) return 0;
    for (uint64_t entries = kind == 5 ? argument * 2 : argument; entries > 0; entries--) {
        const size_t entry = item_length(bytes + used, length - used, depth + 1);
        if (entry == 0) return 0;
        used += entry;
    }
    return used;
}

static bool are_items(const uint8_t *bytes, size_t length) {
    while (length > 0) {
        const size_t item = item_length(bytes, length, 0);
        if (item == 0) return false;
        bytes += item;
        length -= item;
    }
    return true;
}

// Whether what follows the fixed part of the authenticator's data can be read: a new passkey, if there is one, and extensions.
static bool is_readable(const uint8_t *data, size_t length) {
    enum { FIXED_LENGTH = 37, FIXED_LENGTH_OF_PASSKEY = 18 };
    if (length < FIXED_LENGTH) return false;
    size_t start = FIXED_LENGTH;
    if (data[DOMAIN_HASH_LENGTH] & HAS_PASSKEY) {
        if (length - start < FIXED_LENGTH_OF_PASSKEY) return false;
        start += FIXED_LENGTH_OF_PASSKEY;
        const size_t id_length = (size_t)data[start - 2] << 8 | data[start - 1];
        if (length - start < id_length) return false;
        start += id_length;
    }
    return are_items(data + start, length - start);
}

static bool copy(const uint8_t *bytes, size_t length, uint8_t *to, size_t most, size_t *copied) {
    if (!bytes || length == 0 || length > most) return false;
    memcpy(to, bytes, length);
    *copied = length;
    return true;
}

static bool read_as(int algorithm, const uint8_t *data, size_t length, rooms_passkey *passkey) {
    fido_cred_t *read = fido_cred_new();
    bool is_read = read && fido_cred_set_type(read, algorithm) == FIDO_OK
        && fido_cred_set_authdata_raw(read, data, length) == FIDO_OK
        && copy(fido_cred_id_ptr(read), fido_cred_id_len(read), passkey->id, sizeof passkey->id, &passkey->id_length)
        && copy(fido_cred_pubkey_ptr(read), fido_cred_pubkey_len(read), passkey->key, sizeof passkey->key,
                &passkey->key_length);
    if (is_read) {
        passkey->algorithm = algorithm;
        passkey->signatures = fido_cred_sigcount(read);
    }
    fido_cred_free(&read);
    return is_read;
}

static bool is_of_domain(const uint8_t *data, size_t length, const char *domain) {
    uint8_t hash[SHA256_DIGEST_LENGTH];
    const int wanted = USER_PRESENT | USER_VERIFIED | HAS_PASSKEY;
    if (length <= DOMAIN_HASH_LENGTH) return false;
    SHA256((const uint8_t *)domain, strlen(domain), hash);
    return memcmp(data, hash, DOMAIN_HASH_LENGTH) == 0 && (data[DOMAIN_HASH_LENGTH] & wanted) == wanted;
}

bool rooms_passkey_read(const uint8_t *attestation, size_t length, const char *domain, rooms_passkey *passkey) {
    struct cbor_load_result result;
    if (item_length(attestation, length, 0) != length) return false;
    cbor_item_t *item = cbor_load(attestation, length, &result);
    if (!item) return false;
    bool is_read = false;
    const cbor_item_t *data = authenticator_data(item);
    if (data && is_readable(cbor_bytestring_handle(data), cbor_bytestring_length(data))
        && is_of_domain(cbor_bytestring_handle(data), cbor_bytestring_length(data), domain)) {
        for (size_t index = 0; index < sizeof ALGORITHMS / sizeof *ALGORITHMS && !is_read; index++) {
            is_read = read_as(
                ALGORITHMS[index], cbor_bytestring_handle(data), cbor_bytestring_length(data), passkey);
        }
    }
    cbor_decref(&item);
    return is_read;
}

static bool is_signed(const fido_assert_t *answer, int algorithm, const uint8_t *bytes, size_t length) {
    bool is_signed = false;
    if (algorithm == COSE_ES256) {
        es256_pk_t *key = es256_pk_new();
        is_signed = key && es256_pk_from_ptr(key, bytes, length) == FIDO_OK
            && fido_assert_verify(answer, 0, algorithm, key) == FIDO_OK;
        es256_pk_free(&key);
    } else if (algorithm == COSE_EDDSA) {
        eddsa_pk_t *key = eddsa_pk_new();
        is_signed = key && eddsa_pk_from_ptr(key, bytes, length) == FIDO_OK
            && fido_assert_verify(answer, 0, algorithm, key) == FIDO_OK;
        eddsa_pk_free(&key);
    } else if (algorithm == COSE_RS256) {
        rs256_pk_t *key = rs256_pk_new();
        is_signed = key && rs256_pk_from_ptr(key, bytes, length) == FIDO_OK
            && fido_assert_verify(answer, 0, algorithm, key) == FIDO_OK;
        rs256_pk_free(&key);
    }
    return is_signed;
}

bool rooms_passkey_signed(
    const rooms_passkey_answer *answer, int algorithm, const uint8_t *key, size_t key_length, uint32_t *signatures) {
    if (!is_readable(answer->data, answer->data_length)) return false;
    fido_assert_t *read = fido_assert_new();
    bool good = read && fido_assert_set_count(read, 1) == FIDO_OK && fido_assert_set_rp(read, answer->domain) == FIDO_OK
        && fido_assert_set_clientdata_hash(read, answer->client_hash, SHA256_DIGEST_LENGTH) == FIDO_OK
        && fido_assert_set_up(read, FIDO_OPT_TRUE) == FIDO_OK && fido_assert_set_uv(read, FIDO_OPT_TRUE) == FIDO_OK
        && fido_assert_set_authdata_raw(read, 0, answer->data, answer->data_length) == FIDO_OK
        && fido_assert_set_sig(read, 0, answer->signature, answer->signature_length) == FIDO_OK
        && is_signed(read, algorithm, key, key_length);
    if (good) *signatures = fido_assert_sigcount(read, 0);
    fido_assert_free(&read);
    return good;
}
