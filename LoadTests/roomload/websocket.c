#include "websocket.h"

#include "../shared/frames.h"
#include "options.h"

#include <stdio.h>

void websocket_open(struct member *member, const char *sid) {
    char request[512], query[128];
    member->awaits_response = true;
    member->status_count = member->line_end = 0;
    member->part_count = member->skip = 0;
    member_query(member, query, sizeof query);
    int count = snprintf(
        request, sizeof request,
        "GET /socket.io/?%s&transport=websocket%s%s HTTP/1.1\r\nHost: %s:%d\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: cm9vbWxvYWQgbWVtYmVyIQ==\r\n\r\n",
        query, sid ? "&sid=" : "", sid ? sid : "", options.link.host, options.link.port);
    link_send(member->socket, request, (size_t)count);
}

void websocket_send(struct member *member, const char *text, size_t count) {
    uint8_t frame[2048];
    if (count > sizeof frame - 16) fail("a message is too long");
    link_send(member->socket, frame, frame_masked(frame, 0x81, text, count));
}
