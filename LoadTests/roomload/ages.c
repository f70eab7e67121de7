#include "ages.h"

#include "clock.h"
#include "member.h"
#include "options.h"
#include "view.h"

struct histogram ages;
static double looked_at;
static uint32_t begin;

void ages_begin(double now) {
    looked_at = now;
    begin = micros_of(now);
}

static uint32_t latest(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void look(const struct member *member, uint32_t now) {
    const struct member *room = member - member->place;
    for (int i = 0; i < options.members; i++) {
        const struct member *mover = &room[i];
        if (mover == member || !mover->is_mover || mover->is_pausing || mover->state != MEMBER_JOINED) continue;
        if (!view_has(member, mover)) continue;
        // Of whom nothing has come yet, the position is as old as the question: since both are there, and it moves.
        uint32_t newest = latest(member->seen[i], latest(begin, latest(member->since, mover->moving_since)));
        histogram_add(&ages, now > newest ? now - newest : 0);
    }
}

void ages_turn(double now) {
    if (now < looked_at + AGES_SECONDS) return;
    looked_at = now;
    for (int i = 0; i < clients(); i++)
        if (members[i].is_timed && !members[i].is_slow && members[i].state == MEMBER_JOINED)
            look(&members[i], micros_of(now));
}
