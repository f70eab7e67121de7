#define _GNU_SOURCE
#include "text.h"

#include <string.h>

static bool copy_to_quote(const char *at, const uint8_t *payload, size_t count, char *text, size_t room) {
    const char *end = memchr(at, '"', count - (size_t)((const uint8_t *)at - payload));
    if (!end || (size_t)(end - at) >= room) return false;
    memcpy(text, at, (size_t)(end - at));
    text[end - at] = 0;
    return true;
}

bool text_find(const uint8_t *payload, size_t count, const char *key, char *text, size_t room) {
    const char *at = memmem(payload, count, key, strlen(key));
    return at && copy_to_quote(at + strlen(key), payload, count, text, room);
}

bool text_last_string(const uint8_t *payload, size_t count, char *text, size_t room) {
    if (count < 8 || memcmp(payload + count - 2, "\"]", 2)) return false;
    const char *quote = memrchr(payload, '"', count - 2);
    if (!quote || (const uint8_t *)quote - payload < 3 || memcmp(quote - 2, "},", 2)) return false;
    return copy_to_quote(quote + 1, payload, count, text, room);
}

static int base64_digit(uint8_t letter) {
    if (letter >= 'A' && letter <= 'Z') return letter - 'A';
    if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9') return letter - '0' + 52;
    return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

size_t text_base64(const uint8_t *text, size_t count, uint8_t *bytes) {
    uint32_t bits = 0;
    size_t written = 0;
    int held = 0;
    for (size_t i = 0; i < count && base64_digit(text[i]) >= 0; i++) {
        bits = bits << 6 | (uint32_t)base64_digit(text[i]);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes[written++] = (uint8_t)(bits >> held);
    }
    return written;
}
