// A simulated participant: a Socket.IO client in one room, over a WebSocket or by polling. Here is what is known of it.
#ifndef MEMBER_H
#define MEMBER_H

#include "../shared/link.h"
#include "tick.h"

enum member_state {
    MEMBER_NEW,
    MEMBER_CONNECTING,
    MEMBER_SPEAKING, // Socket.IO, and on the way into the room
    MEMBER_JOINED,
    MEMBER_AWAY, // left the room, or dropped the connection, for a while
    MEMBER_GONE  // lost
};

struct member {
    struct link link; // first: the link is the member
    enum member_state state;
    uint32_t room, place;
    bool is_slow, is_timed, is_mover, is_pausing;
    // NULL for who has a WebSocket from the beginning.
    struct polling *polling;
    // Where its WebSocket is; NULL for who only polls. Whether packets go over it already.
    struct link *socket;
    bool is_on_socket;

    // The response's head as far as it was read, then frames: one that has not come whole, and what is not looked at.
    bool awaits_response;
    uint8_t status_count, line_end;
    uint8_t *part;
    size_t part_count, part_room, skip;

    // Of binary ticks: whether the next binary message is one, and what they have told.
    bool awaits_tick;
    struct tick_places places;
    // Of who sends once for each tick: when one came, how long is between two, when it sent, and its position that waits.
    double ticked_at, interval, sent_at;
    uint32_t waiting_touch;

    // By place: the newest touch of each, by the time when it was to be sent; and how many element events of each came.
    uint32_t *seen, *elements;
    uint32_t element_events, ended_count;
    uint64_t elements_order;

    // What it has sent.
    uint32_t last_touch, elements_sent;
    // Its last position before its newest `touch:end`, and before the one before that.
    uint32_t ended_touch, ended_before;
    char element[40];
    double allowance; // bytes that a slow reader may read

    // When it came into the room, or went on moving: what others sent before is late for good reasons.
    uint32_t since, moving_since;
    uint32_t departures;
    // It was told the state anew, and so has not seen all element events.
    bool has_gaps;
    // How it goes on where it was; NULL for who joins anew.
    struct member_resume {
        char pid[64], offset[256];
    } *resume;
};

// All of them, a room's side by side.
extern struct member *members;
extern int joined_count, gone_count;
// How many are in each room.
extern uint32_t *present;

void member_joined(struct member *member, uint32_t now);
// It is no longer in its room.
void member_left(struct member *member, enum member_state state);
// What the query of its first request says beside the transport.
void member_query(const struct member *member, char *query, size_t room);

static inline uint32_t member_client(const struct member *member) { return (uint32_t)(member - members); }

#endif
