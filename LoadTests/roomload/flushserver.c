// The measuring stick: the least that a server of rooms in C has to do, on one thread and one epoll. Nobody is asked who
// they are, nothing is checked, nothing is kept, and whoever does not take a turn at once misses what comes until it has.
//
//   flushserver --port N [--tick MS] [--array]
//
// Of each room, what its members moved in a tick (16 ms) goes to every other member in one write, a frame for each touch;
// with --array, to every member in one frame. With --tick 0 each touch goes out at once.
#define _GNU_SOURCE
#include "../shared/frames.h"

#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 256 << 10, EVENTS = 1024, ROOM_SLOTS = 1 << 15 };

struct peer {
    int fd;
    bool is_established;
    struct room *room;
    uint32_t place;
    size_t own_begin, own_count; // its part of the room's turn
    uint8_t *part, *tail;        // of what came, of what goes
    size_t part_count, tail_count;
};

struct room {
    char *id;
    struct peer **peers;
    uint32_t peer_count, peer_room, tick;
    uint8_t *turn; // frames, or touches of an array with a comma behind each
    size_t turn_count, turn_room;
    bool is_due;
};

static int poller, listener;
static double tick = 0.016;
static bool as_array;
static uint8_t in[BUFFER + 1];
static struct room *rooms[ROOM_SLOTS], *due[ROOM_SLOTS];
static unsigned room_count, due_count;

static void *grown(void *memory, size_t bytes) {
    memory = realloc(memory, bytes);
    if (memory) return memory;
    perror("realloc");
    exit(1);
}

static double seconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void watch(struct peer *peer, int operation, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = peer};
    epoll_ctl(poller, operation, peer->fd, &event);
}

// MARK: Out

// What is not taken at once is the peer's tail.
static void put(struct peer *peer, struct iovec *pieces, int count) {
    ssize_t written = writev(peer->fd, pieces, count);
    size_t taken = written > 0 ? (size_t)written : 0; // What is wrong shows with the next read.
    for (int i = 0; i < count; i++) {
        size_t gone = taken < pieces[i].iov_len ? taken : pieces[i].iov_len;
        taken -= gone;
        if (gone == pieces[i].iov_len) continue;
        size_t left = pieces[i].iov_len - gone;
        if (!peer->tail_count) watch(peer, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
        peer->tail = grown(peer->tail, peer->tail_count + left);
        memcpy(peer->tail + peer->tail_count, (uint8_t *)pieces[i].iov_base + gone, left);
        peer->tail_count += left;
    }
}

static void put_tail(struct peer *peer) {
    ssize_t taken = send(peer->fd, peer->tail, peer->tail_count, MSG_NOSIGNAL);
    if (taken <= 0) return;
    peer->tail_count -= (size_t)taken;
    memmove(peer->tail, peer->tail + taken, peer->tail_count);
    if (!peer->tail_count) watch(peer, EPOLL_CTL_MOD, EPOLLIN);
}

static void put_text(struct peer *peer, const char *text) {
    uint8_t frame[256];
    size_t length = strlen(text), header = frame_header(frame, 0x81, length, 0);
    memcpy(frame + header, text, length);
    put(peer, &(struct iovec){frame, header + length}, 1);
}

// MARK: A room's turn

static void end_turn_of_frames(struct room *room) {
    for (uint32_t i = 0; i < room->peer_count; i++) {
        struct peer *peer = room->peers[i];
        size_t after = peer->own_begin + peer->own_count;
        struct iovec pieces[2] = {{room->turn, peer->own_begin}, {room->turn + after, room->turn_count - after}};
        if (!peer->tail_count && room->turn_count > peer->own_count)
            peer->own_begin ? put(peer, pieces, 2) : put(peer, pieces + 1, 1);
        peer->own_begin = peer->own_count = 0;
    }
}

static void end_turn_of_array(struct room *room) {
    uint8_t begin[160];
    char text[140];
    static uint8_t end[] = "]}]";
    size_t touches = room->turn_count - 1; // without the last comma
    int count = snprintf(text, sizeof text, "42[\"touch:batch\",{\"roomId\":\"%s\",\"tick\":%u,\"touches\":[", room->id,
                         room->tick++);
    size_t header = frame_header(begin, 0x81, (size_t)count + touches + 3, 0);
    memcpy(begin + header, text, (size_t)count);
    for (uint32_t i = 0; i < room->peer_count; i++) {
        struct peer *peer = room->peers[i];
        struct iovec pieces[3] = {{begin, header + (size_t)count}, {room->turn, touches}, {end, 3}};
        if (!peer->tail_count) put(peer, pieces, 3);
        peer->own_begin = peer->own_count = 0;
    }
}

static void end_turn(struct room *room) {
    if (!room->turn_count) return;
    as_array ? end_turn_of_array(room) : end_turn_of_frames(room);
    room->turn_count = 0;
}

static void end_turns(void) {
    for (unsigned i = 0; i < due_count; i++) {
        end_turn(due[i]);
        due[i]->is_due = false;
    }
    due_count = 0;
}

// A peer's second touch of a turn takes the place of its first.
static void add(struct peer *peer, const void *a, size_t a_count, const void *b, size_t b_count) {
    struct room *room = peer->room;
    size_t count = a_count + b_count;
    if (peer->own_count && peer->own_count != count) end_turn(room);
    if (!peer->own_count) {
        if (room->turn_count + count > room->turn_room)
            room->turn = grown(room->turn, room->turn_room = 2 * (room->turn_count + count));
        if (!room->is_due) due[due_count++] = room;
        room->is_due = true;
        peer->own_begin = room->turn_count;
        peer->own_count = count;
        room->turn_count += count;
    }
    memcpy(room->turn + peer->own_begin, a, a_count);
    memcpy(room->turn + peer->own_begin + a_count, b, b_count);
}

// MARK: In

// `touch` is the event's argument, with the bracket that ends the event.
static void move(struct peer *peer, const char *touch, size_t count) {
    static const char name[] = "42[\"touch:moved\",";
    uint8_t begin[64];
    if (!as_array) {
        size_t header = frame_header(begin, 0x81, sizeof name - 1 + count, 0);
        memcpy(begin + header, name, sizeof name - 1);
        return add(peer, begin, header + sizeof name - 1, touch, count);
    }
    const char *x = memmem(touch, count, "\"x\":", 4), *y = memmem(touch, count, ",\"y\":", 5);
    if (!x || !y || y < x || y - x > 30) return;
    int length = snprintf((char *)begin, sizeof begin, "[%u,%.*s,", peer->place, (int)(y - x) - 4, x + 4);
    char end[64];
    size_t rest = (size_t)(touch + count - 2 - (y + 5));
    if (rest > 40) return;
    memcpy(end, y + 5, rest);
    memcpy(end + rest, "],", 2);
    add(peer, begin, (size_t)length, end, rest + 2);
}

static struct room *find_room(const char *id, size_t count) {
    uint32_t hash = 2166136261;
    for (size_t i = 0; i < count; i++) hash = (hash ^ (uint8_t)id[i]) * 16777619;
    uint32_t slot = hash % ROOM_SLOTS;
    while (rooms[slot] && (strncmp(rooms[slot]->id, id, count) || rooms[slot]->id[count]))
        slot = (slot + 1) % ROOM_SLOTS;
    if (rooms[slot] || room_count == ROOM_SLOTS - 1) return rooms[slot];
    room_count++;
    rooms[slot] = grown(NULL, sizeof *rooms[slot]);
    *rooms[slot] = (struct room){.id = strndup(id, count)};
    return rooms[slot];
}

static void join(struct peer *peer, const char *text, size_t count) {
    const char *id = memmem(text, count, "\"roomId\":\"", 10);
    const char *end = id ? memchr(id + 10, '"', count - (size_t)(id + 10 - text)) : NULL;
    struct room *room = end && end - id < 64 && !peer->room ? find_room(id + 10, (size_t)(end - id - 10)) : NULL;
    if (!room) return;
    if (room->peer_count == room->peer_room) {
        room->peer_room = room->peer_room ? 2 * room->peer_room : 4;
        room->peers = grown(room->peers, room->peer_room * sizeof *room->peers);
    }
    peer->room = room;
    peer->place = room->peer_count;
    room->peers[room->peer_count++] = peer;
    put_text(peer, "42[\"room:joined\",{}]");
}

static void took_text(struct peer *peer, const char *text, size_t count) {
    if (count > 18 && peer->room && !memcmp(text, "42[\"touch:move\",", 16)) move(peer, text + 16, count - 16);
    else if (count > 18 && !memcmp(text, "42[\"room:join\",", 15)) join(peer, text, count);
    else if (count > 1 && text[0] == '4' && text[1] == '0') put_text(peer, "40{\"sid\":\"none\"}");
}

static void accept_upgrade(struct peer *peer, const char *key) {
    char joined[64], answer[512];
    unsigned char digest[SHA_DIGEST_LENGTH], encoded[32];
    int length = snprintf(joined, sizeof joined, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key + strspn(key, " "));
    SHA1((unsigned char *)joined, (size_t)length, digest);
    EVP_EncodeBlock(encoded, digest, sizeof digest);
    length = snprintf(answer, sizeof answer,
                      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      "Sec-WebSocket-Accept: %s\r\n\r\n", (char *)encoded);
    put(peer, &(struct iovec){answer, (size_t)length}, 1);
    put_text(peer, "0{\"sid\":\"none\",\"upgrades\":[],\"pingInterval\":25000,\"pingTimeout\":20000,"
                   "\"maxPayload\":1000000}");
    peer->is_established = true;
}

// Both answer how many bytes they used, 0 when they need more, -1 when the peer is to be ended.
static ssize_t read_request(struct peer *peer, const char *request, size_t count) {
    const char *end = memmem(request, count, "\r\n\r\n", 4), *key = strcasestr(request, "sec-websocket-key:");
    if (!end) return 0;
    if (!key || key > end) return -1;
    accept_upgrade(peer, key + 18);
    return end + 4 - request;
}

static ssize_t read_frame(struct peer *peer, uint8_t *frame, size_t count) {
    if (count < 2 || count < frame_header_length(frame[1])) return 0;
    size_t header = frame_header_length(frame[1]), length = frame_payload_length(frame);
    if (length > BUFFER / 2 || (frame[0] & 15) == 8) return -1;
    if (count < header + length) return 0;
    frame_mask(frame + header, length, frame + header - 4);
    if ((frame[0] & 15) == 1) took_text(peer, (char *)frame + header, length);
    return (ssize_t)(header + length);
}

// False: the peer is to be ended.
static bool readable(struct peer *peer) {
    if (peer->part_count) memcpy(in, peer->part, peer->part_count);
    ssize_t got = recv(peer->fd, in + peer->part_count, BUFFER - peer->part_count, 0);
    if (got <= 0) return got < 0 && errno == EAGAIN;
    size_t count = peer->part_count + (size_t)got, at = 0;
    in[count] = 0;
    while (at < count) {
        ssize_t used = peer->is_established ? read_frame(peer, in + at, count - at)
                                            : read_request(peer, (char *)in + at, count - at);
        if (used < 0) return false;
        if (!used) break;
        at += (size_t)used;
    }
    peer->part_count = count - at;
    if (!peer->part_count) return true;
    peer->part = grown(peer->part, peer->part_count);
    memcpy(peer->part, in + at, peer->part_count);
    return true;
}

static void end(struct peer *peer) {
    struct room *room = peer->room;
    if (room) {
        end_turn(room);
        room->peers[peer->place] = room->peers[--room->peer_count];
        room->peers[peer->place]->place = peer->place;
    }
    close(peer->fd);
    free(peer->part);
    free(peer->tail);
    free(peer);
}

// MARK: The loop

static void accept_all(void) {
    int fd, on = 1;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct peer *peer = grown(NULL, sizeof *peer);
        *peer = (struct peer){.fd = fd};
        watch(peer, EPOLL_CTL_ADD, EPOLLIN);
    }
}

static void handle(struct peer *peer, uint32_t events) {
    if (!peer) return accept_all();
    if (events & EPOLLOUT && peer->tail_count) put_tail(peer);
    if (events & ~(uint32_t)EPOLLOUT && !readable(peer)) return end(peer);
    if (tick == 0) end_turns();
}

static void run(void) {
    static struct epoll_event events[EVENTS];
    double next = seconds_now() + tick;
    for (;;) {
        double wait = next - seconds_now();
        struct timespec timeout = {0, wait > 0 ? (long)(wait * 1e9) : 0};
        int count = epoll_pwait2(poller, events, EVENTS, tick > 0 ? &timeout : NULL, NULL);
        for (int i = 0; i < count; i++) handle(events[i].data.ptr, events[i].events);
        double now = seconds_now();
        if (tick == 0 || now < next) continue;
        end_turns();
        next = now < next + tick ? next + tick : now + tick;
    }
}

static void listen_on(int port) {
    int on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) {
        perror("listen");
        exit(1);
    }
    getsockname(listener, (struct sockaddr *)&address, &size);
    poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
    printf("listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
}

int main(int count, char **arguments) {
    static const struct option names[] = {
        {"port", 1, 0, 'p'}, {"tick", 1, 0, 't'}, {"array", 0, 0, 'a'}, {0, 0, 0, 0}};
    int port = 0;
    for (int option; (option = getopt_long(count, arguments, "", names, NULL)) != -1;) {
        switch (option) {
        case 'p': port = atoi(optarg); break;
        case 't': tick = atof(optarg) / 1000; break;
        case 'a': as_array = true; break;
        default: return 64;
        }
    }
    listen_on(port);
    run();
}
