#include "view.h"

#include "options.h"
#include "touch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t columns(void) { return (uint32_t)ceil(sqrt(options.members)); }

// How many places to each side a member sees.
static uint32_t reach(void) { return (uint32_t)((sqrt(options.view) - 1) / 2 + 0.5); }

static uint32_t column_of(const struct member *member) { return member->place % columns(); }
static uint32_t row_of(const struct member *member) { return member->place / columns(); }

uint64_t view_column(const struct member *member) {
    return options.view ? (uint64_t)column_of(member) << VIEW_BITS : 0;
}

uint64_t view_row(const struct member *member) { return options.view ? (uint64_t)row_of(member) << VIEW_BITS : 0; }

static bool is_near(uint32_t one, uint32_t other) { return one > other ? one - other <= reach() : other - one <= reach(); }

bool view_has(const struct member *member, const struct member *other) {
    return !options.view ||
           (is_near(column_of(member), column_of(other)) && is_near(row_of(member), row_of(other)));
}

uint32_t view_count(const struct member *member) {
    static uint32_t *counts;
    if (!options.view) return present[member->room] - 1;
    if (!counts) counts = calloc((size_t)options.members, sizeof *counts);
    if (!counts) fail("out of memory");
    const struct member *room = member - member->place;
    // Counted once: everybody is there before the load begins.
    if (!counts[member->place])
        for (int i = 0; i < options.members; i++) counts[member->place] += &room[i] == member || view_has(member, &room[i]);
    return counts[member->place] - 1;
}

struct touch view_touch(struct tick_place place) {
    uint32_t within = (1u << VIEW_BITS) - 1;
    return (struct touch){(uint32_t)(place.x - X_BASE) & within, (uint32_t)(place.y - X_BASE) & within};
}

size_t view_text(const struct member *member, char *text, size_t room) {
    double length = (double)(1 << VIEW_BITS), width = length * (2 * reach() + 1);
    return (size_t)snprintf(
        text, room, "42[\"view:set\",{\"roomId\":\"room-%u\",\"x\":%.0f,\"y\":%.0f,\"width\":%.0f,\"height\":%.0f}]",
        member->room, X_BASE + length * ((double)column_of(member) - reach()),
        X_BASE + length * ((double)row_of(member) - reach()), width, width);
}
