#ifndef ROOMS_C_WALLETS_H
#define ROOMS_C_WALLETS_H

#include <stdbool.h>
#include <stdint.h>

enum { ROOMS_WALLET_HASH_LENGTH = 32, ROOMS_WALLET_SIGNATURE_LENGTH = 65, ROOMS_WALLET_KEY_LENGTH = 64 };

typedef enum {
    ROOMS_WALLET_SIGNED,
    // No key has made it.
    ROOMS_WALLET_NO_SIGNATURE,
    // Somebody who has seen a signature can make another one of it, which also fits. Of the two, wallets make the one with
    // the lower half of `s`.
    ROOMS_WALLET_HIGH_S
} rooms_wallet_result;

// Finds the public key (without the byte 4 before it) that has signed a hash. The signature is `r`, `s` and 27 or 28, or 0
// or 1 as some wallets write it.
rooms_wallet_result rooms_wallet_signer(
    const uint8_t hash[ROOMS_WALLET_HASH_LENGTH], const uint8_t signature[ROOMS_WALLET_SIGNATURE_LENGTH],
    uint8_t key[ROOMS_WALLET_KEY_LENGTH]);

#endif
