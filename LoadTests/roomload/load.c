#include "load.h"

#include "../shared/frames.h"
#include "clock.h"
#include "event.h"
#include "member.h"
#include "options.h"
#include "schedule.h"
#include "touch.h"

#include <stdio.h>
#include <stdlib.h>

enum { TURN_MAX = 256 };
#define SLOW_SECONDS 0.05

struct load load;
static struct schedule touches, elements;
static double slow_read_at;

static void make_touches(void) {
    uint32_t *movers = calloc((size_t)clients() + 1, sizeof *movers), count = 0;
    if (!movers) fail("out of memory");
    for (int i = 0; i < clients(); i++)
        if (members[i].is_mover) movers[count++] = (uint32_t)i;
    schedule_make(&touches, count, options.hz, options.seed);
    for (uint32_t i = 0; i < count; i++) touches.turns[i].who = movers[touches.turns[i].who];
    free(movers);
}

void load_begin(void) {
    arrivals.is_under_load = true;
    make_touches();
    schedule_make(&elements, options.element_rate > 0 ? (uint32_t)options.rooms : 0, options.element_rate,
                  options.seed + 1);
    for (int i = 0; i < clients(); i++) {
        struct member *member = &members[i];
        member->seen = calloc((size_t)options.members, sizeof *member->seen);
        if (elements.count) member->elements = calloc((size_t)options.members, sizeof *member->elements);
        if (!member->seen || (elements.count && !member->elements)) fail("out of memory");
        if (member->is_slow) link_pause(&member->link);
    }
    touches.start = elements.start = slow_read_at = seconds_now() + 0.05;
}

// MARK: Touches

// The text with blanks for x and y, and where they are.
static size_t touch_text(const struct member *member, char *text, size_t room, char **x, char **y) {
    int count = snprintf(text, room, "42[\"touch:move\",{\"roomId\":\"room-%u\",\"x\":%*s,\"y\":%*s}]", member->room,
                         X_DIGITS, "", Y_DIGITS, "");
    *y = text + count - 2 - Y_DIGITS;
    *x = *y - 5 - X_DIGITS;
    return (size_t)count;
}

static void send_touches(struct member *member, uint32_t micros, int burst) {
    char text[128], *x, *y;
    uint8_t frames[64 * 128];
    size_t count = touch_text(member, text, sizeof text, &x, &y), bytes = 0;
    touch_write_y(y, member_client(member));
    for (int i = 0; i < burst; i++) {
        touch_write_x(x, micros + (uint32_t)i);
        bytes += frame_masked(frames + bytes, 0x81, text, count);
    }
    member->last_touch = micros + (uint32_t)burst - 1;
    link_send(&member->link, frames, bytes);
}

static void move(struct member *member, double due, double now) {
    uint64_t count = (uint64_t)options.burst;
    load.touches += count;
    histogram_add(&load.lateness, (uint32_t)((now - due) * 1e6));
    if (member->state != MEMBER_JOINED) return;
    if (member->link.tail_count) load.held_touches += count;
    else send_touches(member, micros_of(due), options.burst);
}

// MARK: Elements

static void send_element(struct member *member, uint32_t micros) {
    char text[512], content[64];
    int count;
    snprintf(content, sizeof content, "%u.%u.%u", member_client(member), ++member->elements_sent, micros);
    if (!member->element[0])
        count = snprintf(text, sizeof text,
                         "42[\"element:create\",{\"roomId\":\"room-%u\",\"type\":\"note\",\"positionX\":140.5,"
                         "\"positionY\":80.25,\"width\":200,\"height\":100,\"content\":\"%s\"}]",
                         member->room, content);
    else
        count = snprintf(text, sizeof text,
                         "42[\"element:update\",{\"roomId\":\"room-%u\",\"elementId\":\"%s\",\"positionX\":%u.5,"
                         "\"content\":\"%s\"}]",
                         member->room, member->element, micros % 1000, content);
    member_send(member, text, (size_t)count);
}

// Members of a room take turns; each makes one element and then changes it.
static void make_element(uint32_t room, double due) {
    struct member *first = &members[room * (uint32_t)options.members];
    uint32_t turn = (uint32_t)(elements.round % (uint64_t)options.members);
    while (first[turn].is_slow) turn = (turn + 1) % (uint32_t)options.members;
    if (first[turn].state != MEMBER_JOINED) return;
    load.element_operations++;
    send_element(&first[turn], micros_of(due));
}

// MARK: Slow readers

static void read_slowly(double now) {
    double passed = now - slow_read_at;
    slow_read_at = now;
    for (int i = 0; i < clients(); i++) {
        struct member *member = &members[i];
        if (!member->is_slow) continue;
        member->allowance += passed * options.slow_rate;
        size_t limit = (size_t)member->allowance;
        member->allowance -= (double)limit;
        link_read(&member->link, limit);
    }
}

// MARK: All

double load_turn(void) {
    double now = seconds_now();
    for (int i = 0; i < TURN_MAX; i++) {
        double due = schedule_due(&touches);
        if (due > now) break;
        move(&members[schedule_take(&touches)], due, now);
    }
    for (double due; (due = schedule_due(&elements)) <= now;) make_element(schedule_take(&elements), due);
    if (options.slow && now >= slow_read_at + SLOW_SECONDS) read_slowly(now);
    double next = schedule_due(&touches), other = schedule_due(&elements);
    if (other < next) next = other;
    if (options.slow && slow_read_at + SLOW_SECONDS < next) next = slow_read_at + SLOW_SECONDS;
    return next - seconds_now();
}

void load_stop(void) {
    arrivals.is_settling = true;
    for (int i = 0; i < clients(); i++) {
        struct member *member = &members[i];
        char text[64];
        if (member->is_slow) link_resume(&member->link);
        if (!member->is_mover) continue;
        send_touches(member, micros_now(), 1);
        int count = snprintf(text, sizeof text, "42[\"touch:end\",{\"roomId\":\"room-%u\"}]", member->room);
        if (!options.lenient) member_send(member, text, (size_t)count);
    }
}
