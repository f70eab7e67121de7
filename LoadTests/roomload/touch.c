#define _GNU_SOURCE
#include "touch.h"

#include <stdlib.h>

static bool find_number(const uint8_t *payload, size_t count, const char *key, double *number) {
    const char *at = memmem(payload, count, key, strlen(key));
    char text[32] = {0};
    if (!at) return false;
    at += strlen(key);
    size_t left = count - (size_t)((const uint8_t *)at - payload);
    memcpy(text, at, left < sizeof text - 1 ? left : sizeof text - 1);
    *number = strtod(text, NULL);
    return true;
}

bool touch_find_anywhere(const uint8_t *payload, size_t count, struct touch *touch) {
    double x, y;
    if (!find_number(payload, count, "\"x\":", &x) || !find_number(payload, count, "\"y\":", &y)) return false;
    *touch = (struct touch){(uint32_t)(x - X_BASE), (uint32_t)(y - Y_BASE)};
    return true;
}

const uint8_t *touch_batch_begin(const uint8_t *payload, size_t count) {
    static const char key[] = "\"touches\":[";
    const uint8_t *at = memmem(payload, count, key, sizeof key - 1);
    return at ? at + sizeof key - 1 : NULL;
}

static void write_digits(char *at, int digits, uint64_t number) {
    while (digits--) {
        at[digits] = (char)('0' + number % 10);
        number /= 10;
    }
}

void touch_write_x(char *at, uint64_t micros) { write_digits(at, X_DIGITS, X_BASE + micros); }

void touch_write_y(char *at, uint32_t client) { write_digits(at, Y_DIGITS, Y_BASE + client); }
