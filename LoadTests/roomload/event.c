#define _GNU_SOURCE
#include "event.h"

#include "clock.h"
#include "options.h"
#include "proof.h"
#include "text.h"
#include "touch.h"
#include "view.h"

#include <stdio.h>
#include <stdlib.h>

struct arrivals arrivals;

static uint32_t age(uint32_t now, uint32_t then) { return now > then ? now - then : 0; }

// MARK: Touches

static void touch_came(struct member *member, const struct touch *touch, uint32_t now) {
    uint32_t from = touch->client - (member_client(member) - member->place);
    if (from >= (uint32_t)options.members)
        return proof_broken(&proof.foreign, "client %u got a touch of client %u", member_client(member), touch->client);
    if (touch->micros < member->seen[from]) proof_broken(
        &proof.older, "client %u got a touch of client %u that is %u us older than one before",
        member_client(member), touch->client, member->seen[from] - touch->micros);
    // At its end a touch's last position is told again, which is not late.
    bool is_again = touch->micros == member->seen[from];
    member->seen[from] = touch->micros;
    if (arrivals.is_measuring && !member->is_slow && !is_again && touch->micros >= member->since)
        histogram_add(&arrivals.touch_times, age(now, touch->micros));
}

static void count_touches(struct member *member, uint64_t count) {
    if (member->is_slow) arrivals.slow_touches += count;
    else arrivals.touches += count;
}

// Whom a server names must be who sent it; checked in the end only.
static void check_name(struct member *member, const struct touch *touch, const uint8_t *payload, size_t count) {
    char name[48];
    int length = snprintf(name, sizeof name, "\"userId\":\"u%u-%u\"", member->room,
                          touch->client % (uint32_t)options.members);
    if (memmem(payload, count, "\"userId\"", 8) && !memmem(payload, count, name, (size_t)length))
        proof_broken(&proof.foreign, "the sender of a touch is not %s: %.*s", name, (int)count, payload);
}

static void moved_came(struct member *member, const uint8_t *payload, size_t count, uint32_t now) {
    struct touch touch;
    count_touches(member, 1);
    if (!member->is_timed && !arrivals.is_settling) return;
    if (!touch_find(payload, count, &touch))
        return proof_broken(&proof.malformed, "no touch: %.*s", (int)count, payload);
    // Who was given up and has come back is told, as one of the others, where its touch of before ended.
    if (touch.client == member_client(member) && !(member->departures && touch.micros < member->since))
        proof_broken(&proof.foreign, "client %u got its own touch", touch.client);
    touch_came(member, &touch, now);
    if (arrivals.is_settling) check_name(member, &touch, payload, count);
}

static void batch_came(struct member *member, const uint8_t *payload, size_t count, uint32_t now) {
    const uint8_t *end = payload + count, *at = touch_batch_begin(payload, count);
    bool is_looked_at = member->is_timed || arrivals.is_settling;
    uint64_t others = 0;
    while (at && *at == '[') {
        struct touch touch;
        const uint8_t *next = touch_batch_next(at, end, &touch);
        if (!next) break;
        at = next;
        if (touch.client == member_client(member)) continue;
        others++;
        if (is_looked_at) touch_came(member, &touch, now);
    }
    if (!at || *at != ']') proof_broken(&proof.malformed, "no batch: %.*s", (int)(count < 200 ? count : 200), payload);
    count_touches(member, others);
}

bool event_is_tick(struct member *member, const uint8_t *payload, size_t count) {
    char text[80];
    int length = snprintf(text, sizeof text, "451-[\"touch:tick\",\"room-%u\",{\"_placeholder\":true,\"num\":0}]", member->room);
    if (count == (size_t)length && !memcmp(payload, text, count)) return true;
    proof_broken(&proof.foreign, "client %u got another binary event: %.*s", member_client(member), (int)count, payload);
    return false;
}

// Each tick is read, since the next counts from there.
void event_tick_came(struct member *member, const uint8_t *bytes, size_t count, uint32_t now) {
    bool is_looked_at = member->is_timed || arrivals.is_settling;
    uint64_t others = 0;
    struct tick tick;
    struct touch touch;
    tick_begin(&tick, bytes, count);
    while (tick_next(&tick, &member->places, &touch)) {
        if (options.view) touch = view_touch(tick.place);
        if (touch.client == member_client(member)) continue;
        // What comes from beside the view is for nobody.
        if (options.view && (touch.client >= (uint32_t)clients() || !view_has(member, &members[touch.client]))) continue;
        others += !tick.leaves;
        if (is_looked_at) touch_came(member, &touch, now);
    }
    if (options.paced) {
        member->ticked_at = seconds_now();
        member->interval = (double)tick.interval / 1e3;
    }
    if (tick.is_malformed)
        proof_broken(&proof.malformed, "client %u got a tick that cannot be read", member_client(member));
    count_touches(member, others);
}

// A touch ends when its mover says so, leaves, or loses its connection. Of the last two nobody knows what had come before;
// of what a mover ended itself, the last position must have come.
static void ended_came(struct member *member, const uint8_t *payload, size_t count) {
    char name[32];
    unsigned room, place;
    if (!text_find(payload, count, "\"userId\":\"u", name, sizeof name) || sscanf(name, "%u-%u", &room, &place) != 2 ||
        place >= (unsigned)options.members)
        return proof_broken(&proof.malformed, "no end of a touch: %.*s", (int)count, payload);
    const struct member *mover = &members[member_client(member) - member->place + place];
    bool is_last = member->seen && member->seen[place] == mover->last_touch;
    if (is_last) member->ended_count++;
    // The end before the newest may come late, but not before the positions before it; to a slow reader later still.
    if (!member->seen || is_last || mover->departures || member->is_slow) return;
    if (options.think > 0 && member->seen[place] >= mover->ended_before) return;
    proof_broken(&proof.early_ends, "client %u was told of the end of a touch of %u before its last position",
                 member_client(member), member_client(mover));
}

// MARK: Elements

// An element's content is the run, who wrote it, the number among its writer's, and when it was meant to be sent.
struct writing {
    unsigned run, client, number, micros;
};

static bool find_writing(const uint8_t *payload, size_t count, struct writing *writing) {
    char content[64];
    return text_find(payload, count, "\"content\":\"", content, sizeof content) &&
           sscanf(content, "%u.%u.%u.%u", &writing->run, &writing->client, &writing->number, &writing->micros) == 4;
}

static void element_came(struct member *member, const uint8_t *payload, size_t count, uint32_t now) {
    struct writing writing;
    if (!member->elements || !find_writing(payload, count, &writing) || writing.run != options.run)
        return proof_broken(&proof.malformed, "no element: %.*s", (int)count, payload);
    uint32_t from = writing.client - (member_client(member) - member->place);
    if (from >= (uint32_t)options.members)
        return proof_broken(
            &proof.foreign, "client %u got an element of client %u", member_client(member), writing.client);
    if (writing.number != member->elements[from] + 1 && !proof_excuses(member))
        proof_broken(&proof.disorder, "client %u got element event %u of client %u after %u", member_client(member),
                     writing.number, writing.client, member->elements[from]);
    member->elements[from] = writing.number;
    member->element_events++;
    member->elements_order = (member->elements_order + writing.client * 1000003ull + writing.number) * 0x9e3779b97f4a7c15;
    if (from == member->place && !member->element[0])
        text_find(payload, count, "\"id\":\"", member->element, sizeof member->element);
    if (!member->is_slow) arrivals.element_events++;
    if (arrivals.is_measuring && !member->is_slow && writing.micros >= member->since)
        histogram_add(&arrivals.element_times, age(now, writing.micros));
}

// MARK: The state of a room

// Who joins again is told every element as it is now: of each writer the newest event, behind which the log goes on.
static void state_came(struct member *member, const uint8_t *payload, size_t count) {
    static const char key[] = "\"content\":\"";
    const uint8_t *at = payload, *end = payload + count;
    if (!member->elements) return;
    member->has_gaps = true;
    while ((at = memmem(at, (size_t)(end - at), key, sizeof key - 1))) {
        struct writing writing;
        bool is_ours = find_writing(at, (size_t)(end - at), &writing) && writing.run == options.run;
        at += sizeof key - 1;
        uint32_t from = writing.client - (member_client(member) - member->place);
        if (!is_ours || from >= (uint32_t)options.members) continue;
        if (writing.number < member->elements[from])
            proof_broken(&proof.disorder, "client %u was told event %u of client %u in a room's state after %u",
                         member_client(member), writing.number, writing.client, member->elements[from]);
        member->elements[from] = writing.number;
    }
}

static void offset_came(struct member_resume *resume, const uint8_t *payload, size_t count) {
    text_last_string(payload, count, resume->offset, sizeof resume->offset);
}

// MARK: All

enum event_kind event_came(struct member *member, const uint8_t *payload, size_t count, uint32_t now) {
    const uint8_t *name = payload + 4;
    if (count < 16) return EVENT_OTHER;
    if (!memcmp(name, "touch:mo", 8)) return moved_came(member, payload, count, now), EVENT_OTHER;
    if (!memcmp(name, "touch:ba", 8)) return batch_came(member, payload, count, now), EVENT_OTHER;
    if (member->resume) offset_came(member->resume, payload, count);
    if (!memcmp(name, "touch:en", 8)) ended_came(member, payload, count);
    else if (!memcmp(name, "element:", 8)) element_came(member, payload, count, now);
    else if (!memcmp(name, "room:joi", 8)) {
        if (arrivals.is_lively) state_came(member, payload, count);
        return EVENT_JOINED;
    } else if (!memcmp(name, "error\"", 6) || !memcmp(name, "room:clo", 8))
        proof_broken(&proof.refused, "client %u was told: %.*s", member_client(member), (int)count, payload);
    return EVENT_OTHER;
}
