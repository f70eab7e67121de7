#define _GNU_SOURCE
#include "polling.h"

#include "event.h"
#include "options.h"
#include "proof.h"
#include "text.h"
#include "websocket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// So many bytes wait for the request that is under way before a member sends no more touches.
enum { HELD = 4096 };

struct bytes {
    uint8_t *at;
    size_t count, room;
};

struct polling_link {
    struct link link; // first
    struct member *member;
};

struct polling {
    struct polling_link post, socket;
    bool upgrades;
    char sid[64];
    struct bytes got, answered; // of a response that has not come whole: to a GET, to a POST
    struct bytes out;           // packets for the next POST
    bool is_getting, is_posting;
    // The WebSocket answered: what is under way is waited for, and nothing more is sent here.
    bool is_upgrading;
};

static void append(struct bytes *bytes, const void *more, size_t count) {
    if (bytes->count + count > bytes->room) {
        bytes->room = 2 * (bytes->count + count);
        bytes->at = realloc(bytes->at, bytes->room);
        if (!bytes->at) fail("out of memory");
    }
    memcpy(bytes->at + bytes->count, more, count);
    bytes->count += count;
}

void polling_make(struct member *member, bool upgrades) {
    struct polling *polling = calloc(1, sizeof *polling);
    if (!polling) fail("out of memory");
    polling->post.member = polling->socket.member = member;
    polling->upgrades = upgrades;
    member->polling = polling;
    member->socket = upgrades ? &polling->socket.link : NULL;
}

struct member *polling_member(struct link *link) {
    uintptr_t offset = (uintptr_t)link - (uintptr_t)members;
    return offset < (size_t)clients() * sizeof *members ? (struct member *)link
                                                          : ((struct polling_link *)link)->member;
}

// MARK: Out

static void get(struct member *member) {
    char request[512], query[128];
    const char *sid = member->polling->sid;
    member_query(member, query, sizeof query);
    int count = snprintf(
        request, sizeof request, "GET /socket.io/?%s&transport=polling%s%s HTTP/1.1\r\nHost: %s:%d\r\n\r\n", query,
        *sid ? "&sid=" : "", sid, options.link.host, options.link.port);
    member->polling->is_getting = true;
    link_send(&member->link, request, (size_t)count);
}

static void post(struct polling *polling) {
    char request[512];
    struct link *link = &polling->post.link;
    if (polling->is_posting || polling->is_upgrading || !polling->out.count || link->state != LINK_OPEN) return;
    int count = snprintf(
        request, sizeof request,
        "POST /socket.io/?EIO=%d&transport=polling&sid=%s HTTP/1.1\r\nHost: %s:%d\r\n"
        "Content-Type: text/plain;charset=UTF-8\r\nContent-Length: %zu\r\n\r\n",
        options.eio, polling->sid, options.link.host, options.link.port, polling->out.count);
    polling->is_posting = true;
    link_send(link, request, (size_t)count);
    link_send(link, polling->out.at, polling->out.count);
    polling->out.count = 0;
}

void polling_send(struct member *member, const char *text, size_t count) {
    struct polling *polling = member->polling;
    char length[16];
    if (options.eio == 3) append(&polling->out, length, (size_t)snprintf(length, sizeof length, "%zu:", count));
    else if (polling->out.count) append(&polling->out, "\x1e", 1);
    append(&polling->out, text, count);
    post(polling);
}

bool polling_is_held(const struct member *member) { return member->polling->out.count > HELD; }

void polling_opened(struct link *link) {
    struct member *member = polling_member(link);
    struct polling *polling = member->polling;
    if (link == &polling->post.link) return post(polling);
    polling->sid[0] = 0;
    polling->got.count = polling->answered.count = polling->out.count = 0;
    polling->is_posting = polling->is_upgrading = false;
    member->state = MEMBER_SPEAKING;
    get(member);
}

void polling_abort(struct member *member) {
    link_abort(&member->polling->post.link);
    link_abort(&member->polling->socket.link);
}

// MARK: The upgrade

const char *polling_sid(const struct member *member) { return member->polling->sid; }

// What waited to be sent goes the new way, in its order.
static void send_waiting(struct member *member, const uint8_t *at, size_t count) {
    const uint8_t *end = at + count;
    while (at < end) {
        char *packet = (char *)at;
        size_t length;
        if (options.eio == 3) {
            length = strtoul(packet, &packet, 10);
            packet++;
        } else {
            const uint8_t *separator = memchr(at, '\x1e', (size_t)(end - at));
            length = (size_t)((separator ? separator : end) - at);
        }
        websocket_send(member, packet, length);
        at = (const uint8_t *)packet + length + (options.eio != 3);
    }
}

static void upgrade_if_quiet(struct member *member) {
    struct polling *polling = member->polling;
    if (polling->is_getting || polling->is_posting) return;
    websocket_send(member, "5", 1);
    member->is_on_socket = true;
    polling->is_upgrading = false;
    arrivals.upgrades++;
    link_close(&member->link);
    link_close(&polling->post.link);
    send_waiting(member, polling->out.at, polling->out.count);
    polling->out.count = 0;
}

void polling_probed(struct member *member, const uint8_t *packet, size_t count) {
    if (count != 6 || memcmp(packet, "3probe", 6))
        return proof_broken(&proof.malformed, "a probe was answered %.*s", (int)count, packet);
    member->polling->is_upgrading = true;
    upgrade_if_quiet(member);
}

// MARK: In

void polling_begin(struct member *member, const uint8_t *packet, size_t count) {
    struct polling *polling = member->polling;
    if (!text_find(packet, count, "\"sid\":\"", polling->sid, sizeof polling->sid)) fail("a session has no sid");
    link_connect(&polling->post.link, node_of(member->place));
    if (polling->upgrades) link_connect(&polling->socket.link, node_of(member->place));
}

// Puts the chunks of a whole body side by side; answers how many bytes they have.
static size_t join_chunks(char *body, const char *end) {
    char *to = body, *from = body;
    for (char *line_end; (line_end = memmem(from, (size_t)(end - from), "\r\n", 2));) {
        size_t count = strtoul(from, NULL, 16);
        from = line_end + 2;
        if (!count || count + 2 > (size_t)(end - from)) break;
        memmove(to, from, count);
        to += count;
        from += count + 2;
    }
    return (size_t)(to - body);
}

// Where the body is that so many bytes of a response have, once it is whole.
static char *find_body(char *text, size_t have, size_t *count) {
    char *head_end = strstr(text, "\r\n\r\n");
    if (!head_end) return NULL;
    char *body = head_end + 4, *length = strcasestr(text, "\r\ncontent-length:");
    if (length && length < head_end) {
        *count = strtoul(length + 17, NULL, 10);
        return have - (size_t)(body - text) < *count ? NULL : body;
    }
    // No text of JSON has a line end in it.
    static const char last[] = "0\r\n\r\n";
    if (text + have < body + sizeof last - 1 || memcmp(text + have - 5, last, 5)) return NULL;
    *count = join_chunks(body, text + have);
    return body;
}

// The bytes of the body, once the whole response is there and it is one to go on with.
static const uint8_t *body(struct member *member, struct bytes *response, size_t *count) {
    append(response, "", 1); // A zero ends it, for the functions on strings.
    char *text = (char *)response->at, *found = find_body(text, --response->count, count);
    if (!found || !strncmp(text, "HTTP/1.1 200", 12)) return (const uint8_t *)found;
    proof_broken(
        &proof.closed, "client %u was answered %.*s", member_client(member), (int)(strchr(text, '\r') - text), text);
    response->count = 0;
    return NULL;
}

static struct bytes *response(struct link *link) {
    struct polling *polling = polling_member(link)->polling;
    return link == &polling->post.link ? &polling->answered : &polling->got;
}

bool polling_received(struct link *link, const uint8_t *bytes, size_t count, struct packets *packets) {
    struct member *member = polling_member(link);
    bool is_posted = link == &member->polling->post.link;
    append(response(link), bytes, count);
    packets->at = body(member, response(link), &packets->count);
    if (!packets->at) return false;
    if (!is_posted) return true;
    packets->count = 0;
    member->polling->is_posting = false;
    return true;
}

void polling_go_on(struct link *link) {
    struct member *member = polling_member(link);
    struct polling *polling = member->polling;
    bool is_posted = link == &polling->post.link;
    response(link)->count = 0;
    if (!is_posted) polling->is_getting = false;
    if (polling->is_upgrading) upgrade_if_quiet(member);
    else if (is_posted) post(polling);
    else get(member);
}
