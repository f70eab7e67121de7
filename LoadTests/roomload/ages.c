#include "ages.h"

#include "clock.h"
#include "member.h"
#include "options.h"

struct histogram ages;
static double looked_at;
static uint32_t begin;

void ages_begin(double now) {
    looked_at = now;
    begin = micros_of(now);
}

static void look(const struct member *member, uint32_t now) {
    const struct member *room = member - member->place;
    for (int i = 0; i < options.members; i++) {
        if (&room[i] == member || !room[i].is_mover) continue;
        // Of whom nothing has come yet, the position is as old as the question.
        uint32_t newest = member->seen[i] ? member->seen[i] : begin;
        histogram_add(&ages, now > newest ? now - newest : 0);
    }
}

void ages_turn(double now) {
    if (now < looked_at + AGES_SECONDS) return;
    looked_at = now;
    for (int i = 0; i < clients(); i++)
        if (members[i].is_timed && !members[i].is_slow) look(&members[i], micros_of(now));
}
