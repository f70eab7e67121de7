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
