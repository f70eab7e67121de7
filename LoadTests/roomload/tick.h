// Binary ticks, as docs/PROTOCOL.md has them. Of elements nothing is kept.
#ifndef TICK_H
#define TICK_H

#include "touch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Where everybody of a room is for a member, by slot.
struct tick_places {
    struct tick_place {
        int64_t x, y;
    } *at;
    size_t room;
};

// A tick that is read row by row.
struct tick {
    const uint8_t *at, *end;
    uint64_t slot, left;
    // Of the room, in milliseconds.
    uint64_t interval;
    struct tick_place place; // of the newest row
    bool is_absolute, is_special, is_of_view, leaves, is_malformed;
};

void tick_begin(struct tick *tick, const uint8_t *bytes, size_t count);
// The next position; false at the end, or where the bytes are no tick.
bool tick_next(struct tick *tick, struct tick_places *places, struct touch *touch);

#endif
