// Bytes of a member's connections, taken apart into packets, which go to its session.
#ifndef RECEIVING_H
#define RECEIVING_H

#include "member.h"

// Of its WebSocket.
void receiving_frames(struct member *member, const uint8_t *bytes, size_t count, uint32_t now);
// Of either connection that polls.
void receiving_response(struct link *link, const uint8_t *bytes, size_t count, uint32_t now);

#endif
