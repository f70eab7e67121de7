// The little of JSON that a load generator has to find in what a server writes.
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The text behind `key`, up to the next quote. `key` has its quotes and colon; text that does not fit is not found.
bool text_find(const uint8_t *payload, size_t count, const char *key, char *text, size_t room);

// The last argument of an event if it is a string, as an offset is: `…},"12.k3x"]`.
bool text_last_string(const uint8_t *payload, size_t count, char *text, size_t room);

// Writes what a text in base64 stands for, which is shorter; answers how many bytes.
size_t text_base64(const uint8_t *text, size_t count, uint8_t *bytes);

#endif
