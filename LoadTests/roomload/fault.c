#include "fault.h"

#include "event.h"
#include "options.h"

// So rare is a fault, and so many events of its member later comes what is late.
enum { RARITY = 97, LATER = 60, HELD_MAX = 1024 };

static struct {
    struct member *member;
    int left;
    uint8_t payload[HELD_MAX];
    size_t count;
} held;

static void tell_held(struct member *member, uint32_t now) {
    if (held.member != member || --held.left) return;
    held.member = NULL;
    event_came(member, held.payload, held.count, now);
}

bool fault_befell(struct member *member, const uint8_t *payload, size_t count, uint32_t now) {
    static uint64_t events;
    if (count > HELD_MAX || count < 16 || !event_matters_whole(payload)) return false;
    tell_held(member, now);
    if (++events % RARITY) return false;
    switch (options.fault) {
    case FAULT_NONE: return false;
    case FAULT_LOST: break;
    case FAULT_LATE:
        if (held.member) return false;
        held.member = member;
        held.left = LATER;
        held.count = count;
        memcpy(held.payload, payload, count);
        break;
    case FAULT_STRAY: {
        uint32_t neighbour = (member_client(member) + (uint32_t)options.members) % (uint32_t)clients();
        event_came(&members[neighbour], payload, count, now);
    }
    }
    return true;
}

bool fault_befell_tick(void) {
    static uint64_t ticks;
    return ++ticks % RARITY == 0;
}
