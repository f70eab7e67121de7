#include "receiving.h"

#include "../shared/frames.h"
#include "event.h"
#include "options.h"
#include "polling.h"
#include "proof.h"
#include "session.h"
#include "websocket.h"

#include <stdlib.h>
#include <string.h>

// A frame is told by so many bytes: the rest of one that matters to nobody is skipped without a copy.
enum { TELLING = 24 };

// MARK: Frames

static void took_control(struct member *member, const uint8_t *frame, const uint8_t *payload, size_t count) {
    uint8_t pong[160];
    if ((frame[0] & 15) == 9) link_send(member->socket, pong, frame_masked(pong, 0x8a, payload, count & 127));
    if ((frame[0] & 15) != 8) return;
    int code = count >= 2 ? payload[0] << 8 | payload[1] : 0;
    proof_broken(&proof.closed, "client %u was closed with %d %.*s", member_client(member), code,
                 count > 2 ? (int)count - 2 : 0, payload + 2);
}

static void took_frame(struct member *member, const uint8_t *frame, size_t length, uint32_t now) {
    const uint8_t *payload = frame + frame_header_length(frame[1]);
    arrivals.frames++;
    if (frame[0] == 0x82) {
        // Protocol 3 puts the packet's type before it.
        size_t head = options.eio == 3;
        if (length >= head) session_took_binary(member, payload + head, length - head, now);
    } else if (!member->is_on_socket && frame[0] == 0x81) polling_probed(member, payload, length);
    else if (frame[0] == 0x81) session_took(member, payload, length, now);
    else took_control(member, frame, payload, length);
}

// The bytes of a frame by its first `count`, or 0 when they do not tell.
static size_t frame_bytes(const uint8_t *frame, size_t count) {
    if (count < 2 || count < frame_header_length(frame[1])) return 0;
    return frame_header_length(frame[1]) + frame_payload_length(frame);
}

// A long frame of which only the beginning matters counts as come with that.
static bool took_beginning(struct member *member, const uint8_t *frame, size_t count, uint32_t now) {
    if (count < 10 + TELLING || frame[0] != 0x81) return false;
    const uint8_t *payload = frame + frame_header_length(frame[1]);
    if (event_matters_whole(payload)) return false;
    arrivals.frames++;
    session_took(member, payload, TELLING, now);
    member->skip = frame_bytes(frame, count) - count;
    return true;
}

static void keep(struct member *member, const uint8_t *bytes, size_t count, size_t wanted) {
    if (member->part_room < wanted) {
        member->part_room = wanted;
        member->part = realloc(member->part, wanted);
        if (!member->part) fail("out of memory");
    }
    memcpy(member->part + member->part_count, bytes, count);
    member->part_count += count;
}

// Adds to the frame that has come in part; answers how many bytes went into it.
static size_t read_part(struct member *member, const uint8_t *bytes, size_t count, uint32_t now) {
    size_t whole = frame_bytes(member->part, member->part_count), used = 0;
    if (!whole) {
        // Byte by byte up to the end of the header, at most ten.
        while (used < count && !whole) {
            keep(member, bytes + used++, 1, 10 + TELLING);
            whole = frame_bytes(member->part, member->part_count);
        }
        if (!whole) return used;
    }
    size_t wanted = whole;
    if (member->part_count < 10 + TELLING && whole > 10 + TELLING) wanted = 10 + TELLING;
    size_t taken = wanted - member->part_count < count - used ? wanted - member->part_count : count - used;
    keep(member, bytes + used, taken, wanted < whole ? wanted : whole);
    used += taken;
    if (member->part_count == whole) {
        member->part_count = 0;
        took_frame(member, member->part, frame_payload_length(member->part), now);
    } else if (member->part_count == 10 + TELLING && took_beginning(member, member->part, member->part_count, now)) {
        member->part_count = 0;
    }
    return used;
}

static void read_frames(struct member *member, const uint8_t *at, size_t count, uint32_t now) {
    const uint8_t *end = at + count;
    while (at < end && member->socket->state == LINK_OPEN) {
        size_t left = (size_t)(end - at);
        if (member->skip) {
            size_t skipped = member->skip < left ? member->skip : left;
            member->skip -= skipped;
            at += skipped;
            continue;
        }
        if (member->part_count) {
            at += read_part(member, at, left, now);
            continue;
        }
        size_t whole = frame_bytes(at, left);
        if (whole && whole <= left) {
            took_frame(member, at, frame_payload_length(at), now);
            at += whole;
            continue;
        }
        if (whole && took_beginning(member, at, left, now)) return;
        return keep(member, at, left, whole > left ? whole : 10 + TELLING);
    }
}

// Answers how many bytes of the response's head were used.
static size_t read_response(struct member *member, const uint8_t *at, size_t count) {
    static const char end[] = "\r\n\r\n", status[] = "HTTP/1.1 101";
    for (size_t i = 0; i < count; i++) {
        if (member->status_count < 12 && at[i] != (uint8_t)status[member->status_count++])
            fail("the upgrade was refused: %.*s", (int)count, at);
        member->line_end = at[i] == (uint8_t)end[member->line_end] ? member->line_end + 1 : at[i] == '\r';
        if (member->line_end < 4) continue;
        member->awaits_response = false;
        if (member->polling) websocket_send(member, "2probe", 6);
        else member->state = MEMBER_SPEAKING;
        return i + 1;
    }
    return count;
}

void receiving_frames(struct member *member, const uint8_t *bytes, size_t count, uint32_t now) {
    arrivals.bytes += count;
    size_t used = member->awaits_response ? read_response(member, bytes, count) : 0;
    read_frames(member, bytes + used, count - used, now);
}

// MARK: Responses

static void took_packet(struct member *member, const uint8_t *packet, size_t count, uint32_t now) {
    arrivals.frames++;
    if (!*polling_sid(member) && count && packet[0] == '0') polling_begin(member, packet, count);
    session_took(member, packet, count, now);
}

static void took_payload(struct member *member, const uint8_t *at, size_t count, uint32_t now) {
    const uint8_t *end = at + count;
    while (at < end) {
        if (options.eio == 3) {
            char *packet;
            size_t length = strtoul((const char *)at, &packet, 10);
            at = (const uint8_t *)packet + 1;
            if (*packet != ':' || length > (size_t)(end - at))
                return proof_broken(&proof.malformed, "no payload: %.*s", (int)count, end - count);
            took_packet(member, at, length, now);
            at += length;
        } else {
            const uint8_t *separator = memchr(at, '\x1e', (size_t)(end - at));
            size_t length = (size_t)((separator ? separator : end) - at);
            took_packet(member, at, length, now);
            at += length + 1;
        }
    }
}

void receiving_response(struct link *link, const uint8_t *bytes, size_t count, uint32_t now) {
    struct packets packets;
    arrivals.bytes += count;
    if (!polling_received(link, bytes, count, &packets)) return;
    took_payload(polling_member(link), packets.at, packets.count, now);
    polling_go_on(link);
}
