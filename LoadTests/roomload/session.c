#include "session.h"

#include "event.h"
#include "fault.h"
#include "options.h"
#include "polling.h"
#include "proof.h"
#include "text.h"
#include "view.h"
#include "websocket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MARK: Out

void session_send(struct member *member, const char *text, size_t count) {
    if (member->is_on_socket) websocket_send(member, text, count);
    else polling_send(member, text, count);
}

bool session_is_held(const struct member *member) {
    return member->is_on_socket ? member->socket->tail_count > 0 : polling_is_held(member);
}

static void send_connect(struct member *member) {
    char text[640], wishes[80] = "", place[400] = "";
    const struct member_resume *resume = member->resume;
    const char *form = options.binary  ? "\"touch\":\"binary\",\"decimals\":0"
                       : options.batch ? "\"touch\":\"batch\""
                                       : "";
    if (*form || resume)
        snprintf(wishes, sizeof wishes, ",\"rooms\":{%s%s%s}", form, *form && resume ? "," : "",
                 resume ? "\"recovery\":true" : "");
    if (resume && *resume->pid)
        snprintf(place, sizeof place, ",\"pid\":\"%s\",\"offset\":\"%s\"", resume->pid, resume->offset);
    int count = snprintf(text, sizeof text, "40{\"token\":\"u%u-%u\"%s%s}", member->room, member->place, wishes, place);
    session_send(member, text, (size_t)count);
}

void session_join(struct member *member) {
    char text[128];
    int count = snprintf(text, sizeof text, "42[\"room:join\",{\"roomId\":\"room-%u\"}]", member->room);
    session_send(member, text, (size_t)count);
}

void session_leave(struct member *member) {
    char text[128];
    int count = snprintf(text, sizeof text, "42[\"room:leave\",{\"roomId\":\"room-%u\"}]", member->room);
    session_send(member, text, (size_t)count);
}

static void send_view(struct member *member) {
    char text[256];
    session_send(member, text, view_text(member, text, sizeof text));
}

// MARK: In

// Who gets the `pid` of before is in its room already, and is told what it missed.
static void connected(struct member *member, const uint8_t *packet, size_t count, uint32_t now) {
    char pid[sizeof member->resume->pid] = "";
    if (member->resume && text_find(packet, count, "\"pid\":\"", pid, sizeof pid) && *member->resume->pid) {
        if (!strcmp(pid, member->resume->pid)) {
            arrivals.resumes++;
            return member_joined(member, now);
        }
        proof_broken(&proof.forgotten, "client %u came back and was not known", member_client(member));
    }
    if (member->resume) strcpy(member->resume->pid, pid);
    session_join(member);
}

static void took_socket_packet(struct member *member, const uint8_t *packet, size_t count, uint32_t now) {
    switch (packet[1]) {
    case '0': return connected(member, packet, count, now);
    case '2':
        if (options.fault && arrivals.is_under_load && fault_befell(member, packet, count, now)) return;
        if (event_came(member, packet, count, now) == EVENT_JOINED && member->state == MEMBER_SPEAKING) {
            member_joined(member, now);
            if (options.view) send_view(member);
        }
        return;
    case '5':
        member->awaits_tick = event_is_tick(member, packet, count);
        return;
    case '1': return proof_broken(&proof.refused, "client %u was disconnected", member_client(member));
    case '4': return proof_broken(&proof.refused, "CONNECT was refused: %.*s", (int)count, packet);
    }
}

void session_took_binary(struct member *member, const uint8_t *bytes, size_t count, uint32_t now) {
    if (!member->awaits_tick)
        return proof_broken(&proof.malformed, "client %u got a binary message of nothing", member_client(member));
    member->awaits_tick = false;
    if (options.fault && arrivals.is_under_load && fault_befell_tick()) return;
    event_tick_came(member, bytes, count, now);
}

// Packets that cannot be binary have their bytes in base64.
static void took_base64(struct member *member, const uint8_t *text, size_t count, uint32_t now) {
    uint8_t *bytes = malloc(count + 1);
    if (!bytes) fail("out of memory");
    session_took_binary(member, bytes, text_base64(text, count, bytes), now);
    free(bytes);
}

void session_took(struct member *member, const uint8_t *packet, size_t count, uint32_t now) {
    if (!count) return;
    switch (packet[0]) {
    case '0':
        // With protocol 3 the server says at once that one is connected.
        if (options.eio != 3) send_connect(member);
        return;
    case '2': return session_send(member, "3", 1);
    case 'b': return took_base64(member, packet + (options.eio == 3 ? 2 : 1), count - (options.eio == 3 ? 2 : 1), now);
    case '4':
        if (count > 1) took_socket_packet(member, packet, count, now);
    }
}
