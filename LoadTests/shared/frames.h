// WebSocket frames, as far as a benchmark needs them.
#ifndef FRAMES_H
#define FRAMES_H

#include <stdint.h>
#include <string.h>

// Writes the header of an unmasked frame, or of a masked one without its key; answers its length.
static inline size_t frame_header(uint8_t *out, uint8_t first, size_t length, uint8_t mask_bit) {
    out[0] = first;
    if (length < 126) {
        out[1] = mask_bit | (uint8_t)length;
        return 2;
    }
    if (length < 65536) {
        out[1] = mask_bit | 126;
        out[2] = (uint8_t)(length >> 8);
        out[3] = (uint8_t)length;
        return 4;
    }
    out[1] = mask_bit | 127;
    for (int i = 0; i < 8; i++) out[2 + i] = (uint8_t)(length >> (56 - 8 * i));
    return 10;
}

// The length of a header, told by its second byte.
static inline size_t frame_header_length(uint8_t second) {
    uint8_t shortly = second & 127;
    return 2 + (shortly < 126 ? 0 : shortly == 126 ? 2 : 8) + (second & 128 ? 4 : 0);
}

static inline size_t frame_payload_length(const uint8_t *header) {
    uint8_t shortly = header[1] & 127;
    if (shortly < 126) return shortly;
    size_t length = 0;
    for (int i = 0; i < (shortly == 126 ? 2 : 8); i++) length = length << 8 | header[2 + i];
    return length;
}

// Masks or unmasks in place.
static inline void frame_mask(uint8_t *bytes, size_t count, const uint8_t key[4]) {
    uint32_t narrow;
    memcpy(&narrow, key, 4);
    uint64_t wide = (uint64_t)narrow << 32 | narrow;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        word ^= wide;
        memcpy(bytes + i, &word, 8);
    }
    for (; i < count; i++) bytes[i] ^= key[i & 3];
}

// A whole frame as a client sends it; answers its length.
static inline size_t frame_masked(uint8_t *out, uint8_t first, const void *payload, size_t length) {
    static const uint8_t key[4] = {0x5a, 0x17, 0xc3, 0x9e};
    size_t at = frame_header(out, first, length, 128);
    memcpy(out + at, key, 4);
    memcpy(out + at + 4, payload, length);
    frame_mask(out + at + 4, length, key);
    return at + 4 + length;
}

#endif
