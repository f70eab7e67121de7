// A member's side of Engine.IO and Socket.IO, by packets, whatever carries them.
#ifndef SESSION_H
#define SESSION_H

#include "member.h"

// Sends a packet by the way that the member has now.
void session_send(struct member *member, const char *text, size_t count);
// Whether the server has not taken yet what was sent.
bool session_is_held(const struct member *member);
void session_join(struct member *member);
void session_leave(struct member *member);
// A packet came, or as much of it as matters.
void session_took(struct member *member, const uint8_t *packet, size_t count, uint32_t now);
// A binary message came.
void session_took_binary(struct member *member, const uint8_t *bytes, size_t count, uint32_t now);

#endif
