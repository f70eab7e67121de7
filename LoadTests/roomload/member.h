// A simulated participant: a Socket.IO client on a WebSocket, in one room.
#ifndef MEMBER_H
#define MEMBER_H

#include "../shared/link.h"

enum member_state { MEMBER_NEW, MEMBER_CONNECTING, MEMBER_SPEAKING, MEMBER_JOINED, MEMBER_GONE };

struct member {
    struct link link; // first: the link is the member
    enum member_state state;
    uint32_t room, place;
    bool is_slow, is_timed, is_mover;

    // The response's head as far as it was read, then frames: one that has not come whole, and what is not looked at.
    uint8_t status_count, line_end;
    uint8_t *part;
    size_t part_count, part_room, skip;

    // By place: the newest touch of each, by the time when it was to be sent; and how many element events of each came.
    uint32_t *seen, *elements;
    uint32_t element_events, ended_count;
    uint64_t elements_order;

    // What it has sent.
    uint32_t last_touch, elements_sent;
    char element[40];
    double allowance; // bytes that a slow reader may read
};

extern struct member *members;
extern int joined_count, gone_count;

// All of them, a room's side by side.
void members_make(void);
void members_connect(void);
struct link_settings members_link_settings(void);
void member_send(struct member *member, const char *text, size_t count);

static inline uint32_t member_client(const struct member *member) { return (uint32_t)(member - members); }

#endif
