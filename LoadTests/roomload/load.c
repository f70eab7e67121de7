#include "load.h"

#include "../shared/frames.h"
#include "clock.h"
#include "event.h"
#include "life.h"
#include "member.h"
#include "options.h"
#include "schedule.h"
#include "session.h"
#include "touch.h"
#include "view.h"

#include <stdio.h>
#include <stdlib.h>

enum { TURN_MAX = 256 };
// How long before its tick a position is sent, on a machine that is not far away.
#define LEAD_SECONDS 0.004
#define SLOW_SECONDS 0.05

struct load load;
static struct schedule touches, elements, strokes, pauses;
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

// Of each mover, a stroke and the pause behind it take the same time; where in them it begins is chance.
static void make_strokes(double start) {
    uint32_t count = options.think > 0 ? (uint32_t)clients() : 0;
    schedule_make(&strokes, count, 1 / (options.stroke + options.think), options.seed + 5);
    schedule_make(&pauses, count, 1 / (options.stroke + options.think), options.seed + 5);
    strokes.start = start;
    // What is over by now makes pauses of those who begin with one.
    pauses.start = start - options.think;
}

void load_begin(void) {
    double start = seconds_now() + 0.05;
    arrivals.is_under_load = true;
    make_touches();
    make_strokes(start);
    life_begin(start);
    schedule_make(&elements, options.element_rate > 0 ? (uint32_t)options.rooms : 0, options.element_rate,
                  options.seed + 1);
    for (int i = 0; i < clients(); i++) {
        struct member *member = &members[i];
        member->seen = calloc((size_t)options.members, sizeof *member->seen);
        if (elements.count) member->elements = calloc((size_t)options.members, sizeof *member->elements);
        if (!member->seen || (elements.count && !member->elements)) fail("out of memory");
        if (member->is_slow) link_pause(&member->link);
    }
    touches.start = elements.start = slow_read_at = start;
}

// MARK: Touches

// The text with blanks for x and y, and where they are.
static size_t touch_text(const struct member *member, char *text, size_t room, char **x, char **y) {
    int y_digits = options.view ? X_DIGITS : Y_DIGITS;
    int count = snprintf(text, room, "42[\"touch:move\",{\"roomId\":\"room-%u\",\"x\":%*s,\"y\":%*s}]", member->room,
                         X_DIGITS, "", y_digits, "");
    *y = text + count - 2 - y_digits;
    *x = *y - 5 - X_DIGITS;
    return (size_t)count;
}

static void send_touches(struct member *member, uint32_t micros, int burst) {
    char text[128], *x, *y;
    uint8_t frames[64 * 128];
    size_t count = touch_text(member, text, sizeof text, &x, &y), bytes = 0;
    if (options.view) touch_write_x(y, view_row(member) + member_client(member));
    else touch_write_y(y, member_client(member));
    for (int i = 0; i < burst; i++) {
        touch_write_x(x, view_column(member) + micros + (uint32_t)i);
        if (!member->is_on_socket) session_send(member, text, count);
        else bytes += frame_masked(frames + bytes, 0x81, text, count);
    }
    member->last_touch = micros + (uint32_t)burst - 1;
    load.expected += (uint64_t)burst * view_count(member);
    if (member->is_on_socket) link_send(member->socket, frames, bytes);
}

// Ends what was begun since it ended last.
static void send_end(struct member *member) {
    char text[64];
    // The ends of a large room's touches are for everybody.
    if (options.peer || options.view || member->last_touch == member->ended_touch) return;
    int count = snprintf(text, sizeof text, "42[\"touch:end\",{\"roomId\":\"room-%u\"}]", member->room);
    session_send(member, text, (size_t)count);
    member->ended_before = member->ended_touch;
    member->ended_touch = member->last_touch;
}

// When a member may send its next position: just before the room's next tick.
static double next_send(const struct member *member, double now) {
    if (!options.paced || now - member->ticked_at > 2 * member->interval) return now;
    double due = member->ticked_at + member->interval - LEAD_SECONDS;
    while (due < member->sent_at + member->interval / 2) due += member->interval;
    return due;
}

static void send_now(struct member *member, uint32_t micros, double now) {
    uint64_t count = (uint64_t)options.burst;
    load.touches += count;
    load.asked += count * view_count(member);
    member->sent_at = now;
    member->waiting_touch = 0;
    if (session_is_held(member)) load.held_touches += count;
    else send_touches(member, micros, options.burst);
}

// Sends what has waited for its tick; answers when the next is due.
static double send_waiting(double now) {
    double next = 1e18;
    for (int i = 0; i < clients(); i++) {
        struct member *member = &members[i];
        if (!member->waiting_touch || member->state != MEMBER_JOINED || member->is_pausing) continue;
        double due = next_send(member, now);
        if (due <= now) send_now(member, member->waiting_touch, now);
        else if (due < next) next = due;
    }
    return next;
}

static void move(struct member *member, double due, double now) {
    uint64_t count = (uint64_t)options.burst;
    if (member->state != MEMBER_JOINED || member->is_pausing) {
        load.skipped_touches += count;
        return;
    }
    histogram_add(&load.lateness, (uint32_t)((now - due) * 1e6));
    if (next_send(member, now) > now) member->waiting_touch = micros_of(due);
    else send_now(member, micros_of(due), now);
}

static void begin_stroke(struct member *member, double now) {
    if (member->is_pausing) member->moving_since = micros_of(now);
    member->is_pausing = false;
}

static void end_stroke(struct member *member) {
    member->is_pausing = true;
    if (member->state != MEMBER_JOINED) return;
    if (member->waiting_touch) send_now(member, member->waiting_touch, seconds_now());
    send_end(member);
}

// MARK: Elements

static void send_element(struct member *member, uint32_t micros) {
    char text[512], content[64];
    int count;
    snprintf(content, sizeof content, "%u.%u.%u.%u", options.run, member_client(member), ++member->elements_sent, micros);
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
    session_send(member, text, (size_t)count);
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

static double sooner(double a, double b) { return a < b ? a : b; }

double load_turn(void) {
    double now = seconds_now();
    double next = life_turn(now);
    while (schedule_due(&pauses) <= now) end_stroke(&members[schedule_take(&pauses)]);
    while (schedule_due(&strokes) <= now) begin_stroke(&members[schedule_take(&strokes)], now);
    for (int i = 0; i < TURN_MAX; i++) {
        double due = schedule_due(&touches);
        if (due > now) break;
        move(&members[schedule_take(&touches)], due, now);
    }
    for (double due; (due = schedule_due(&elements)) <= now;) make_element(schedule_take(&elements), due);
    if (options.paced) next = sooner(next, send_waiting(now));
    if (options.slow && now >= slow_read_at + SLOW_SECONDS) read_slowly(now);
    if (options.slow) next = sooner(next, slow_read_at + SLOW_SECONDS);
    next = sooner(next, sooner(schedule_due(&touches), schedule_due(&elements)));
    return sooner(next, sooner(schedule_due(&pauses), schedule_due(&strokes))) - seconds_now();
}

void load_stop(void) {
    life_end();
    arrivals.is_settling = true;
    for (int i = 0; i < clients(); i++) {
        struct member *member = &members[i];
        if (member->is_slow) link_resume(&member->link);
        member->ended_count = 0;
        if (!member->is_mover || member->state != MEMBER_JOINED) continue;
        send_touches(member, micros_now(), 1);
        send_end(member);
    }
}
