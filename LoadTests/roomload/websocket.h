// What a member sends over a WebSocket.
#ifndef WEBSOCKET_H
#define WEBSOCKET_H

#include "member.h"

// Asks for the upgrade, of the session `sid` that polls so far, or with NULL of a new one.
void websocket_open(struct member *member, const char *sid);
void websocket_send(struct member *member, const char *text, size_t count);

#endif
