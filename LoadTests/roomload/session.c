#include "session.h"

#include "event.h"
#include "fault.h"
#include "options.h"
#include "proof.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

void session_query(const struct member *member, char *query, size_t room) {
    // Protocol 3 has no CONNECT of the client's to carry the token.
    if (options.eio == 3) snprintf(query, room, "EIO=3&token=u%u-%u", member->room, member->place);
    else snprintf(query, room, "EIO=4");
}

// MARK: Out

static void send_connect(struct member *member) {
    char text[640], wishes[64] = "", place[400] = "";
    const struct member_resume *resume = member->resume;
    if (options.batch || resume)
        snprintf(wishes, sizeof wishes, ",\"rooms\":{%s%s%s}", options.batch ? "\"touch\":\"batch\"" : "",
                 options.batch && resume ? "," : "", resume ? "\"recovery\":true" : "");
    if (resume && *resume->pid)
        snprintf(place, sizeof place, ",\"pid\":\"%s\",\"offset\":\"%s\"", resume->pid, resume->offset);
    int count = snprintf(text, sizeof text, "40{\"token\":\"u%u-%u\"%s%s}", member->room, member->place, wishes, place);
    member_send(member, text, (size_t)count);
}

void session_join(struct member *member) {
    char text[128];
    int count = snprintf(text, sizeof text, "42[\"room:join\",{\"roomId\":\"room-%u\"}]", member->room);
    member_send(member, text, (size_t)count);
}

void session_leave(struct member *member) {
    char text[128];
    int count = snprintf(text, sizeof text, "42[\"room:leave\",{\"roomId\":\"room-%u\"}]", member->room);
    member_send(member, text, (size_t)count);
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
        if (event_came(member, packet, count, now) == EVENT_JOINED && member->state == MEMBER_SPEAKING)
            member_joined(member, now);
        return;
    case '1': return proof_broken(&proof.refused, "client %u was disconnected", member_client(member));
    case '4': return proof_broken(&proof.refused, "CONNECT was refused: %.*s", (int)count, packet);
    }
}

void session_took(struct member *member, const uint8_t *packet, size_t count, uint32_t now) {
    if (!count) return;
    switch (packet[0]) {
    case '0':
        // With protocol 3 the server says at once that one is connected.
        if (options.eio != 3) send_connect(member);
        return;
    case '2': return member_send(member, "3", 1);
    case '4':
        if (count > 1) took_socket_packet(member, packet, count, now);
    }
}
