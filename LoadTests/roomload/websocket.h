// A member's packets in WebSocket frames.
#ifndef WEBSOCKET_H
#define WEBSOCKET_H

#include "member.h"

void websocket_opened(struct member *member);
void websocket_send(struct member *member, const char *text, size_t count);
void websocket_received(struct member *member, const uint8_t *bytes, size_t count, uint32_t now);

#endif
