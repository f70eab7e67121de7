// Touches as text. A touch's x is when it was meant to be sent, its y who sent it, both with a fixed count of digits, so
// that a recipient reads them in a few nanoseconds from where they must stand.
#ifndef TOUCH_H
#define TOUCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { X_DIGITS = 10, Y_DIGITS = 5, X_BASE = 1000000000, Y_BASE = 10000, CLIENTS_MAX = 90000 };

struct touch {
    uint32_t micros; // since the start of the program
    uint32_t client;
};

// Eight digits, by adding neighbours in pairs, fours and eights.
static inline uint32_t touch_eight_digits(const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, 8);
    word = (word & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
    word = (word & 0x00ff00ff00ff00ff) * 6553601 >> 16;
    return (uint32_t)((word & 0x0000ffff0000ffff) * 42949672960001 >> 32);
}

static inline uint32_t touch_micros(const uint8_t *at) {
    return (uint32_t)(touch_eight_digits(at) * 100ull + (at[8] & 15u) * 10 + (at[9] & 15u) - X_BASE);
}

static inline uint32_t touch_client(const uint8_t *at) {
    return (at[0] & 15u) * 10000 + (at[1] & 15u) * 1000 + (at[2] & 15u) * 100 + (at[3] & 15u) * 10 + (at[4] & 15u) -
           Y_BASE;
}

static inline bool touch_has(const uint8_t *bytes, const char *text, size_t count) { return !memcmp(bytes, text, count); }

// For servers that write otherwise than `…"x":1000000000,"y":10000}]`.
bool touch_find_anywhere(const uint8_t *payload, size_t count, struct touch *touch);

// The touch of a `touch:moved`.
static inline bool touch_find(const uint8_t *payload, size_t count, struct touch *touch) {
    const uint8_t *y = payload + count - 2 - Y_DIGITS, *x = y - 5 - X_DIGITS;
    if (count < 48 || !touch_has(y - 5, ",\"y\":", 5) || !touch_has(x - 4, "\"x\":", 4))
        return touch_find_anywhere(payload, count, touch);
    *touch = (struct touch){touch_micros(x), touch_client(y)};
    return true;
}

// Where the first touch of a `touch:batch` begins, or NULL.
const uint8_t *touch_batch_begin(const uint8_t *payload, size_t count);

// The next touch of a batch, `[slot,x,y]`; answers where the one after begins, or NULL if there is none here.
static inline const uint8_t *touch_batch_next(const uint8_t *at, const uint8_t *end, struct touch *touch) {
    enum { AFTER_SLOT = 1 + X_DIGITS + 1 + Y_DIGITS + 1 };
    if (end - at < AFTER_SLOT + 3 || *at != '[') return NULL;
    at += 2;
    for (int digits = 0; *at != ','; at++)
        if (++digits > 5 || end - at < AFTER_SLOT + 1) return NULL;
    if (at[1 + X_DIGITS] != ',' || at[AFTER_SLOT - 1] != ']') return NULL;
    *touch = (struct touch){touch_micros(at + 1), touch_client(at + 2 + X_DIGITS)};
    at += AFTER_SLOT;
    return at + (*at == ',');
}

// Writes the digits.
void touch_write_x(char *at, uint64_t micros);
void touch_write_y(char *at, uint32_t client);

#endif
