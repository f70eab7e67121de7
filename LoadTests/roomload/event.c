#define _GNU_SOURCE
#include "event.h"

#include "clock.h"
#include "options.h"
#include "proof.h"
#include "touch.h"

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
    member->seen[from] = touch->micros;
    if (arrivals.is_measuring && !member->is_slow) histogram_add(&arrivals.touch_times, age(now, touch->micros));
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
    if (touch.client == member_client(member))
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

static void ended_came(struct member *member, const uint8_t *payload, size_t count) {
    const char *name = memmem(payload, count, "\"userId\":\"u", 11);
    unsigned room, place;
    member->ended_count++;
    if (!name || sscanf(name + 11, "%u-%u", &room, &place) != 2 || place >= (unsigned)options.members) return;
    struct member *mover = &members[member_client(member) - member->place + place];
    if (member->seen[place] != mover->last_touch)
        proof_broken(&proof.early_ends, "client %u was told of the end of a touch of %u before its last position",
                     member_client(member), member_client(mover));
}

// MARK: Elements

static bool find_text(const uint8_t *payload, size_t count, const char *key, char *text, size_t room) {
    const char *at = memmem(payload, count, key, strlen(key));
    if (!at) return false;
    at += strlen(key);
    const char *end = memchr(at, '"', count - (size_t)((const uint8_t *)at - payload));
    if (!end || (size_t)(end - at) >= room) return false;
    memcpy(text, at, (size_t)(end - at));
    text[end - at] = 0;
    return true;
}

// An element's content is who wrote it, the number among its writer's, and when it was meant to be sent.
static void element_came(struct member *member, const uint8_t *payload, size_t count, uint32_t now) {
    char content[64];
    unsigned client, number, micros;
    if (!member->elements || !find_text(payload, count, "\"content\":\"", content, sizeof content) ||
        sscanf(content, "%u.%u.%u", &client, &number, &micros) != 3)
        return proof_broken(&proof.malformed, "no element: %.*s", (int)count, payload);
    uint32_t from = client - (member_client(member) - member->place);
    if (from >= (uint32_t)options.members)
        return proof_broken(&proof.foreign, "client %u got an element of client %u", member_client(member), client);
    if (number != member->elements[from] + 1)
        proof_broken(&proof.disorder, "client %u got element event %u of client %u after %u", member_client(member),
                     number, client, member->elements[from]);
    member->elements[from] = number;
    member->element_events++;
    member->elements_order = (member->elements_order + client * 1000003ull + number) * 0x9e3779b97f4a7c15;
    if (from == member->place && !member->element[0])
        find_text(payload, count, "\"id\":\"", member->element, sizeof member->element);
    if (!member->is_slow) arrivals.element_events++;
    if (arrivals.is_measuring && !member->is_slow) histogram_add(&arrivals.element_times, age(now, micros));
}

// MARK: All

enum event_kind event_came(struct member *member, const uint8_t *payload, size_t count, uint32_t now) {
    const uint8_t *name = payload + 4;
    if (count < 16) return EVENT_OTHER;
    if (!memcmp(name, "touch:mo", 8)) moved_came(member, payload, count, now);
    else if (!memcmp(name, "touch:ba", 8)) batch_came(member, payload, count, now);
    else if (!memcmp(name, "touch:en", 8)) ended_came(member, payload, count);
    else if (!memcmp(name, "element:", 8)) element_came(member, payload, count, now);
    else if (!memcmp(name, "room:joi", 8)) return EVENT_JOINED;
    else if (!memcmp(name, "error\"", 6) || !memcmp(name, "room:clo", 8))
        proof_broken(&proof.refused, "client %u was told: %.*s", member_client(member), (int)count, payload);
    return EVENT_OTHER;
}
