// A member's packets over HTTP long-polling: one connection asks for what comes, another carries what goes. Who upgrades
// tries a WebSocket beside them as soon as there is a session, as stock clients do, and goes on there.
#ifndef POLLING_H
#define POLLING_H

#include "member.h"

// Packets, as they stand in the body of a response.
struct packets {
    const uint8_t *at;
    size_t count;
};

void polling_make(struct member *member, bool upgrades);
// Whose link it is, of either connection, and also of a WebSocket.
struct member *polling_member(struct link *link);
void polling_opened(struct link *link);
void polling_send(struct member *member, const char *text, size_t count);
// Adds to the response that is coming. True once it is whole and one to go on with. Its packets, none if it answers a POST,
// are there until `polling_go_on`.
bool polling_received(struct link *link, const uint8_t *bytes, size_t count, struct packets *packets);
// The packets of the response are taken: sends the next request.
void polling_go_on(struct link *link);
// The first packet of a session came.
void polling_begin(struct member *member, const uint8_t *packet, size_t count);
// The session that a WebSocket is to take over; empty before there is one.
const char *polling_sid(const struct member *member);
// What came over the WebSocket that was tried.
void polling_probed(struct member *member, const uint8_t *packet, size_t count);
bool polling_is_held(const struct member *member);
void polling_abort(struct member *member);

#endif
