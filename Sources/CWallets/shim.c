#include "rooms_wallets.h"

#include <secp256k1.h>
#include <secp256k1_recovery.h>
#include <string.h>

rooms_wallet_result rooms_wallet_signer(
    const uint8_t hash[ROOMS_WALLET_HASH_LENGTH], const uint8_t signature[ROOMS_WALLET_SIGNATURE_LENGTH],
    uint8_t key[ROOMS_WALLET_KEY_LENGTH]) {
    enum { COMPACT_LENGTH = 64, KEY_LENGTH = 65, FIRST_RECOVERY = 27 };
    // Nothing secret is computed with, so the context that the library brings is enough.
    const secp256k1_context *context = secp256k1_context_static;
    const int last = signature[COMPACT_LENGTH];
    const int recovery = last >= FIRST_RECOVERY ? last - FIRST_RECOVERY : last;
    if (recovery > 1) return ROOMS_WALLET_NO_SIGNATURE;
    secp256k1_ecdsa_recoverable_signature read;
    if (!secp256k1_ecdsa_recoverable_signature_parse_compact(context, &read, signature, recovery)) {
        return ROOMS_WALLET_NO_SIGNATURE;
    }
    secp256k1_ecdsa_signature plain;
    secp256k1_ecdsa_recoverable_signature_convert(context, &plain, &read);
    if (secp256k1_ecdsa_signature_normalize(context, NULL, &plain)) return ROOMS_WALLET_HIGH_S;
    secp256k1_pubkey signer;
    if (!secp256k1_ecdsa_recover(context, &signer, &read, hash)) return ROOMS_WALLET_NO_SIGNATURE;
    uint8_t bytes[KEY_LENGTH];
    size_t length = sizeof bytes;
    secp256k1_ec_pubkey_serialize(context, bytes, &length, &signer, SECP256K1_EC_UNCOMPRESSED);
    memcpy(key, bytes + 1, ROOMS_WALLET_KEY_LENGTH);
    return ROOMS_WALLET_SIGNED;
}
