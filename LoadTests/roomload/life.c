#include "life.h"

#include "crowd.h"
#include "options.h"
#include "proof.h"
#include "schedule.h"
#include "session.h"

#include <stdlib.h>

enum { TRIES = 20 };
#define HEARTBEAT_SECONDS 20.0
#define RETURN_SECONDS 20.0

struct life life;
static struct schedule leaves, drops, heartbeats;
static uint64_t randomness;

// Who is away, in the order in which they come back: everybody is away for the same time.
static struct absence {
    uint32_t client;
    double until;
} *absences;
static uint32_t absent_begin, absent_count;

void life_begin(double start) {
    randomness = options.seed * 0x9e3779b97f4a7c15 + 7;
    absences = calloc((size_t)clients(), sizeof *absences);
    if (!absences) fail("out of memory");
    schedule_make(&leaves, options.leaves > 0, options.leaves, options.seed + 2);
    schedule_make(&drops, options.drops > 0, options.drops, options.seed + 3);
    schedule_make(&heartbeats, options.eio == 3 ? (uint32_t)clients() : 0, 1 / HEARTBEAT_SECONDS, options.seed + 4);
    leaves.start = drops.start = heartbeats.start = start;
}

static bool may_go(const struct member *member) {
    if (member->state != MEMBER_JOINED || member->is_slow) return false;
    // What it has written must be there, since nobody sends it again: a touch is replaced by the next, an element is not.
    return !member->elements || proof_excuses(member) || member->elements[member->place] == member->elements_sent;
}

// Anybody who may; NULL if there is hardly one.
static struct member *pick(void) {
    for (int i = 0; i < TRIES; i++) {
        randomness = randomness * 6364136223846793005 + 1442695040888963407;
        struct member *member = &members[(randomness >> 33) % (uint64_t)clients()];
        if (may_go(member)) return member;
    }
    return NULL;
}

static void go(struct member *member, double now) {
    uint32_t at = (absent_begin + absent_count++) % (uint32_t)clients();
    absences[at] = (struct absence){member_client(member), now + options.away};
    member_left(member, MEMBER_AWAY);
    member->departures++;
}

static void leave(double now) {
    struct member *member = pick();
    if (!member) return;
    session_leave(member);
    go(member, now);
    life.leaves++;
}

static void drop(double now) {
    struct member *member = pick();
    if (!member) return;
    crowd_abort_one(member);
    go(member, now);
    life.drops++;
}

static void come_back(void) {
    struct member *member = &members[absences[absent_begin].client];
    absent_begin = (absent_begin + 1) % (uint32_t)clients();
    absent_count--;
    if (member->state != MEMBER_AWAY) return;
    if (!crowd_has_connected(member)) return crowd_connect_one(member);
    member->state = MEMBER_SPEAKING;
    session_join(member);
}

double life_turn(double now) {
    for (; schedule_due(&leaves) <= now; schedule_take(&leaves)) leave(now);
    for (; schedule_due(&drops) <= now; schedule_take(&drops)) drop(now);
    while (schedule_due(&heartbeats) <= now) {
        struct member *member = &members[schedule_take(&heartbeats)];
        if (crowd_has_connected(member)) session_send(member, "2", 1);
    }
    while (absent_count && absences[absent_begin].until <= now) come_back();
    double next = absent_count ? absences[absent_begin].until : 1e18;
    if (schedule_due(&leaves) < next) next = schedule_due(&leaves);
    if (schedule_due(&drops) < next) next = schedule_due(&drops);
    return schedule_due(&heartbeats) < next ? schedule_due(&heartbeats) : next;
}

void life_end(void) {
    double end = seconds_now() + options.away + RETURN_SECONDS;
    leaves.count = drops.count = 0;
    while (joined_count + gone_count < clients() && seconds_now() < end) {
        life_turn(seconds_now());
        links_poll(0.01);
    }
    for (int i = 0; i < clients(); i++)
        if (members[i].state != MEMBER_JOINED && members[i].state != MEMBER_GONE)
            proof_broken(&proof.lost, "client %d did not come back", i);
}
