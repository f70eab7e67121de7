#include "proof.h"

#include "member.h"
#include "options.h"
#include "view.h"

#include <stdarg.h>
#include <stdio.h>

enum { TOLD_MAX = 3 };

struct proof proof;

void proof_broken(uint64_t *kind, const char *format, ...) {
    va_list arguments;
    // Of faults that were planted, and of servers that promise nothing, the count is enough.
    if ((*kind)++ >= TOLD_MAX || options.fault || options.peer) return;
    fputs("roomload: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

uint64_t proof_broken_count(void) {
    const uint64_t *counts = (const uint64_t *)&proof;
    uint64_t sum = 0;
    for (unsigned i = 0; i < sizeof proof / sizeof *counts; i++) sum += counts[i];
    return sum;
}

uint64_t proof_lost_count(void) {
    return proof.disorder + proof.missing_elements + proof.missing_finals + proof.closed + proof.lost + proof.refused;
}

bool proof_excuses(const struct member *member) { return options.peer && member->has_gaps; }

static bool lacks_elements(const struct member *member, const struct member *writer) {
    return member->elements && !proof_excuses(member) && member->elements[writer->place] != writer->elements_sent;
}

static bool wants_end(const struct member *member) { return !options.peer && !options.view && !member->is_slow; }

static bool wants_last(const struct member *member, const struct member *mover) {
    return mover != member && mover->is_mover && view_has(member, mover);
}

// How many ends a member is told of: of every mover but itself.
static uint32_t wanted_ends(const struct member *member) {
    uint32_t movers = 0;
    const struct member *room = member - member->place;
    for (int i = 0; i < options.members; i++) movers += room[i].is_mover && &room[i] != member;
    return movers;
}

static bool has_all(const struct member *member) {
    const struct member *room = member - member->place;
    for (int i = 0; i < options.members; i++) {
        if (wants_last(member, &room[i]) && member->seen[i] != room[i].last_touch) return false;
        if (lacks_elements(member, &room[i])) return false;
    }
    return !wants_end(member) || member->ended_count >= wanted_ends(member);
}

bool proof_is_complete(void) {
    // Where it stood last time: who has all keeps it.
    static int complete;
    while (complete < clients() && (members[complete].state == MEMBER_GONE || has_all(&members[complete]))) complete++;
    return complete == clients();
}

// The first member of a room who has seen all its element events.
static const struct member *witness(const struct member *room) {
    int i = 0;
    while (i < options.members - 1 && room[i].has_gaps) i++;
    return &room[i];
}

static void conclude(const struct member *member) {
    const struct member *room = member - member->place;
    uint32_t client = member_client(member);
    for (int i = 0; i < options.members; i++) {
        if (wants_last(member, &room[i]) && member->seen[i] != room[i].last_touch)
            proof_broken(&proof.missing_finals, "client %u did not get the last position of client %u: %u, not %u",
                         client, member_client(&room[i]), member->seen[i], room[i].last_touch);
        if (lacks_elements(member, &room[i]))
            proof_broken(&proof.missing_elements, "client %u got %u element events of client %u, not %u", client,
                         member->elements[i], member_client(&room[i]), room[i].elements_sent);
    }
    if (!member->has_gaps && member->elements_order != witness(room)->elements_order)
        proof_broken(&proof.disagreeing, "clients %u and %u got the elements of their room in different orders", client,
                     member_client(witness(room)));
    if (wants_end(member) && member->ended_count != wanted_ends(member))
        proof_broken(&proof.missing_ends, "client %u was told of the end of %u touches, not %u", client,
                     member->ended_count, wanted_ends(member));
}

void proof_conclude(void) {
    // Who is lost was told already.
    for (int i = 0; i < clients(); i++)
        if (members[i].state == MEMBER_JOINED) conclude(&members[i]);
}
