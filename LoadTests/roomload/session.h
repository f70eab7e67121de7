// A member's side of Engine.IO and Socket.IO, by packets, whatever carries them.
#ifndef SESSION_H
#define SESSION_H

#include "member.h"

// What the query of its first request says beside the transport.
void session_query(const struct member *member, char *query, size_t room);
// A packet came, or as much of it as matters.
void session_took(struct member *member, const uint8_t *packet, size_t count, uint32_t now);
void session_join(struct member *member);
void session_leave(struct member *member);

#endif
