#ifndef ROOMS_C_PASSKEYS_H
#define ROOMS_C_PASSKEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROOMS_PASSKEY_ID_MAX 1023
#define ROOMS_PASSKEY_KEY_MAX 1024

// A public key of a passkey, as an authenticator has made it.
typedef struct {
    uint8_t id[ROOMS_PASSKEY_ID_MAX];
    size_t id_length;
    // The number of COSE.
    int algorithm;
    uint8_t key[ROOMS_PASSKEY_KEY_MAX];
    size_t key_length;
    uint32_t signatures;
} rooms_passkey;

// Reads a new passkey out of an attestation object. False unless it is of the domain, and the authenticator has verified its
// user. Who made the authenticator is not asked, so the statement about that is not read.
bool rooms_passkey_read(const uint8_t *attestation, size_t length, const char *domain, rooms_passkey *passkey);

typedef struct {
    const char *domain;
    // The SHA-256 of what the client says of the answer.
    const uint8_t *client_hash;
    const uint8_t *data;
    size_t data_length;
    const uint8_t *signature;
    size_t signature_length;
} rooms_passkey_answer;

// Whether a passkey has signed an answer for the domain, and the authenticator has verified its user. Then `signatures` gets
// how many signatures the authenticator has made.
bool rooms_passkey_signed(
    const rooms_passkey_answer *answer, int algorithm, const uint8_t *key, size_t key_length, uint32_t *signatures);

#endif
