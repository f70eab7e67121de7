#include "crowd.h"

#include "clock.h"
#include "options.h"
#include "polling.h"
#include "proof.h"
#include "receiving.h"
#include "websocket.h"

#include <stdlib.h>
#include <sys/socket.h>

static int begun_count;

// Whether this client is one of so many of all that lie evenly.
static bool is_one_of(int client, int wanted) {
    long long count = clients();
    return (client + 1LL) * wanted / count != (long long)client * wanted / count;
}

static void make(int client) {
    struct member *member = &members[client];
    member->room = (uint32_t)(client / options.members);
    member->place = (uint32_t)(client % options.members);
    member->is_mover = member->place < (uint32_t)options.movers;
    member->is_timed = client % options.timed_of == 0;
    member->socket = &member->link;
    int pollers = options.polling + options.upgrade;
    // Of those who begin by polling, those who change to a WebSocket lie evenly too.
    long long number = (long long)client * pollers / clients();
    if (is_one_of(client, pollers))
        polling_make(member, (number + 1) * options.upgrade / pollers != number * options.upgrade / pollers);
    if (options.drops > 0 && !options.peer) member->resume = calloc(1, sizeof *member->resume);
}

void crowd_make(void) {
    members = calloc((size_t)clients(), sizeof *members);
    present = calloc((size_t)options.rooms, sizeof *present);
    if (!members || !present) fail("out of memory");
    for (int i = 0; i < clients(); i++) make(i);
    // The slow are the last of each room in turn; they only read.
    for (int i = 0; i < options.slow; i++) {
        int place = options.members - 1 - i / options.rooms;
        struct member *member = &members[i % options.rooms * options.members + place];
        member->is_slow = true;
        member->is_mover = false;
        member->polling = NULL;
        member->socket = &member->link;
    }
}

// MARK: Connecting

void crowd_connect_one(struct member *member) {
    int bytes = 4096;
    member->state = MEMBER_CONNECTING;
    member->awaits_tick = false;
    member->waiting_touch = 0;
    member->is_on_socket = !member->polling;
    link_connect(&member->link, node_of(member->place));
    if (member->is_slow) setsockopt(member->link.fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

static void connect_next(void) {
    // One of each room in turn, as people come.
    int index = begun_count % options.rooms * options.members + begun_count / options.rooms;
    begun_count++;
    crowd_connect_one(&members[index]);
}

void crowd_connect(void) {
    double start = seconds_now();
    while (joined_count + gone_count < clients()) {
        while (begun_count < clients() && begun_count - joined_count - gone_count < options.at_once) connect_next();
        links_poll(1);
        if (seconds_now() - start > 180)
            fail("%d of %d clients joined in three minutes", joined_count, clients());
    }
    if (gone_count) fail("%d of %d connections were lost before they had joined", gone_count, clients());
}

bool crowd_has_connected(const struct member *member) {
    return (member->is_on_socket ? member->socket : &member->link)->state == LINK_OPEN;
}

void crowd_abort_one(struct member *member) {
    link_abort(&member->link);
    if (member->polling) polling_abort(member);
}

// MARK: Links

static void opened(struct link *link) {
    struct member *member = polling_member(link);
    if (link == member->socket) websocket_open(member, member->polling ? polling_sid(member) : NULL);
    else polling_opened(link);
}

static void received(struct link *link, const uint8_t *bytes, size_t count) {
    struct member *member = polling_member(link);
    if (link == member->socket) receiving_frames(member, bytes, count, micros_now());
    else receiving_response(link, bytes, count, micros_now());
}

static void ended(struct link *link) {
    struct member *member = polling_member(link);
    if (member->state == MEMBER_GONE) return;
    if (member->state == MEMBER_JOINED || member->departures)
        proof_broken(&proof.lost, "the connection of client %u was lost", member_client(member));
    member_left(member, MEMBER_GONE);
    gone_count++;
    if (member->polling) crowd_abort_one(member);
}

struct link_settings crowd_link_settings(void) {
    struct link_settings settings = options.link;
    settings.opened = opened;
    settings.received = received;
    settings.ended = ended;
    return settings;
}
