#include "tick.h"

#include "../shared/link.h"

#include <stdlib.h>

enum { BEGINS = 1, ELEMENT = 2, LEAVES = 8, SLOTS_MAX = 1 << 20 };

static uint64_t number(struct tick *tick) {
    uint64_t value = 0;
    for (int shift = 0; shift < 56 && tick->at < tick->end; shift += 7) {
        uint8_t byte = *tick->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
    tick->is_malformed = true;
    return 0;
}

static int64_t signed_number(struct tick *tick) {
    uint64_t zigzag = number(tick);
    return (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
}

// Touches have whole numbers: decimals are not asked for.
void tick_begin(struct tick *tick, const uint8_t *bytes, size_t count) {
    *tick = (struct tick){.at = bytes, .end = bytes + count};
    tick->is_malformed = !count || (bytes[0] & ~24);
    if (tick->is_malformed) return;
    tick->is_of_view = *tick->at & 16;
    tick->is_absolute = *tick->at++ & 8;
    number(tick);
    tick->interval = number(tick);
}

static void begin_run(struct tick *tick) {
    uint64_t head = number(tick);
    tick->is_special = head & 1;
    if (tick->is_of_view) {
        tick->slot = head >> 1;
        tick->left = 1;
        tick->is_malformed |= tick->slot >= SLOTS_MAX;
        return;
    }
    tick->left = (head >> 1 & 7) + 1;
    if (tick->left == 8) tick->left += number(tick);
    tick->slot += head >> 4;
    if (tick->slot >= SLOTS_MAX || tick->left > SLOTS_MAX) tick->is_malformed = true;
}

static struct tick_place *place(struct tick_places *places, size_t slot) {
    if (slot >= places->room) {
        size_t room = 2 * slot + 8;
        places->at = realloc(places->at, room * sizeof *places->at);
        if (!places->at) fail("out of memory");
        memset(places->at + places->room, 0, (room - places->room) * sizeof *places->at);
        places->room = room;
    }
    return &places->at[slot];
}

static void skip_element(struct tick *tick) {
    uint64_t element = number(tick);
    if (!element || element % 2) return;
    uint64_t count = number(tick);
    if (count > (size_t)(tick->end - tick->at)) tick->is_malformed = true;
    else tick->at += count;
}

bool tick_next(struct tick *tick, struct tick_places *places, struct touch *touch) {
    if (tick->is_malformed || (!tick->left && tick->at == tick->end)) return false;
    if (!tick->left) begin_run(tick);
    if (tick->is_malformed || (tick->is_special && tick->at == tick->end)) return !(tick->is_malformed = true);
    uint8_t flags = tick->is_special ? *tick->at++ : 0;
    struct tick_place *where = place(places, tick->slot);
    // The load has no positions that are too large.
    if (flags & ~(BEGINS | ELEMENT | (tick->is_of_view ? LEAVES : 0))) tick->is_malformed = true;
    if (tick->is_absolute || flags & BEGINS) *where = (struct tick_place){0, 0};
    where->x += signed_number(tick);
    where->y += signed_number(tick);
    if (flags & ELEMENT) skip_element(tick);
    tick->leaves = flags & LEAVES;
    tick->slot++;
    tick->left--;
    tick->place = *where;
    *touch = (struct touch){(uint32_t)(where->x - X_BASE), (uint32_t)(where->y - Y_BASE)};
    return !tick->is_malformed;
}
