// The peer: the least that a server in C has to do, on one thread and one epoll. No limits, no checks, no timers.
//
//   epollserver --port N [--tls-cert FILE --tls-key FILE]
//
// /echo is a WebSocket that sends each frame back, one write per read; /fan one that sends what any member sends to all,
// one write per member and loop turn. Any other request is answered with a small fixed response. What a peer does not
// take at once is kept for it; a member of /fan that is behind misses the turn.
#define _GNU_SOURCE
#include "../shared/frames.h"

#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 256 << 10, EVENTS = 1024, MEMBERS_MAX = 20000 };

enum role { HTTP, ECHO, FAN };

struct peer {
    int fd;
    enum role role;
    SSL *ssl;
    bool is_established;
    unsigned place;               // among the members of /fan
    uint8_t *part, *tail;         // of what came, of what goes
    size_t part_count, tail_count;
};

static int poller, listener;
static SSL_CTX *context;
static uint8_t in[BUFFER], out[BUFFER];
static size_t out_count;
static struct peer *members[MEMBERS_MAX];
static unsigned member_count;
static uint8_t turn[BUFFER];
static size_t turn_count;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void watch(struct peer *peer, int operation, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = peer};
    epoll_ctl(poller, operation, peer->fd, &event);
}

static void end(struct peer *peer) {
    if (peer->role == FAN) {
        members[peer->place] = members[--member_count];
        members[peer->place]->place = peer->place;
    }
    SSL_free(peer->ssl);
    close(peer->fd);
    free(peer->part);
    free(peer->tail);
    free(peer);
}

// MARK: Out

static size_t write_some(struct peer *peer, const uint8_t *bytes, size_t count) {
    if (!peer->ssl) {
        ssize_t taken = send(peer->fd, bytes, count, MSG_NOSIGNAL);
        return taken > 0 ? (size_t)taken : 0; // What is wrong shows with the next read.
    }
    ERR_clear_error();
    int taken = SSL_write(peer->ssl, bytes, (int)count);
    return taken > 0 ? (size_t)taken : 0;
}

static void put(struct peer *peer, const uint8_t *bytes, size_t count) {
    size_t done = 0;
    while (!peer->tail_count && done < count) {
        size_t taken = write_some(peer, bytes + done, count - done);
        if (!taken) break;
        done += taken;
    }
    if (done == count) return;
    if (!peer->tail_count) watch(peer, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
    peer->tail = realloc(peer->tail, peer->tail_count + count - done);
    if (!peer->tail) fail("realloc");
    memcpy(peer->tail + peer->tail_count, bytes + done, count - done);
    peer->tail_count += count - done;
}

static void put_tail(struct peer *peer) {
    size_t taken = write_some(peer, peer->tail, peer->tail_count);
    peer->tail_count -= taken;
    memmove(peer->tail, peer->tail + taken, peer->tail_count);
    if (!peer->tail_count) watch(peer, EPOLL_CTL_MOD, EPOLLIN);
}

static void put_out(struct peer *peer) {
    if (out_count) put(peer, out, out_count);
    out_count = 0;
}

static void end_turn(void) {
    if (!turn_count) return;
    for (unsigned i = 0; i < member_count; i++)
        if (!members[i]->tail_count) put(members[i], turn, turn_count);
    turn_count = 0;
}

// MARK: In

static void answer(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    out_count += (size_t)vsnprintf((char *)out + out_count, BUFFER - out_count, format, arguments);
    va_end(arguments);
}

static void accept_upgrade(struct peer *peer, const char *request, const char *key) {
    char joined[64];
    unsigned char digest[SHA_DIGEST_LENGTH], encoded[32];
    key += strspn(key, " ");
    int length = snprintf(joined, sizeof joined, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    SHA1((unsigned char *)joined, (size_t)length, digest);
    EVP_EncodeBlock(encoded, digest, sizeof digest);
    answer("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Accept: %s\r\n\r\n", (char *)encoded);
    peer->role = strncmp(request, "GET /fan ", 9) ? ECHO : FAN;
    if (peer->role != FAN) return;
    if (member_count == MEMBERS_MAX) fail("members");
    peer->place = member_count;
    members[member_count++] = peer;
}

// Answers how many bytes were a whole request; `bytes` end with a zero.
static size_t read_request(struct peer *peer, const uint8_t *bytes, size_t count) {
    const char *request = (const char *)bytes;
    const char *head_end = memmem(request, count, "\r\n\r\n", 4);
    if (!head_end) return 0;
    const char *key = strcasestr(request, "sec-websocket-key:");
    if (key && key < head_end) accept_upgrade(peer, request, key + 18);
    else answer("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 14\r\n\r\nHello, world.\n");
    put_out(peer);
    return (size_t)(head_end + 4 - request);
}

// Answers how many bytes were a whole frame, or -1 at the end.
static ssize_t read_frame(struct peer *peer, uint8_t *bytes, size_t count) {
    if (count < 2) return 0;
    size_t header = frame_header_length(bytes[1]);
    if (count < header) return 0;
    size_t length = frame_payload_length(bytes);
    if (length > BUFFER / 2) return -1;
    if (count < header + length) return 0;
    frame_mask(bytes + header, length, bytes + header - 4);
    if ((bytes[0] & 15) == 8) return -1;
    uint8_t *to = peer->role == FAN ? turn : out;
    size_t *to_count = peer->role == FAN ? &turn_count : &out_count;
    if (*to_count + length + 14 > BUFFER) peer->role == FAN ? end_turn() : put_out(peer);
    *to_count += frame_header(to + *to_count, bytes[0], length, 0);
    memcpy(to + *to_count, bytes + header, length);
    *to_count += length;
    return (ssize_t)(header + length);
}

// What is not whole is kept. False: the peer is to be ended.
static bool received(struct peer *peer, size_t count) {
    size_t at = 0;
    in[count] = 0;
    while (at < count) {
        ssize_t used = peer->role == HTTP ? (ssize_t)read_request(peer, in + at, count - at)
                                          : read_frame(peer, in + at, count - at);
        if (used < 0) return false;
        if (!used) break;
        at += (size_t)used;
    }
    put_out(peer);
    peer->part_count = count - at;
    if (!peer->part_count) return true;
    peer->part = realloc(peer->part, peer->part_count);
    if (!peer->part) fail("realloc");
    memcpy(peer->part, in + at, peer->part_count);
    return true;
}

static bool read_plain(struct peer *peer) {
    ssize_t count = recv(peer->fd, in + peer->part_count, BUFFER / 2, 0);
    if (count <= 0) return count < 0 && errno == EAGAIN;
    return received(peer, peer->part_count + (size_t)count);
}

static bool read_tls(struct peer *peer) {
    if (!peer->is_established) {
        ERR_clear_error();
        int status = SSL_do_handshake(peer->ssl);
        if (status != 1) return SSL_get_error(peer->ssl, status) == SSL_ERROR_WANT_READ;
        peer->is_established = true;
    }
    for (;;) {
        if (peer->part_count) memcpy(in, peer->part, peer->part_count);
        ERR_clear_error();
        int count = SSL_read(peer->ssl, in + peer->part_count, BUFFER / 2);
        if (count <= 0) return SSL_get_error(peer->ssl, count) == SSL_ERROR_WANT_READ;
        if (!received(peer, peer->part_count + (size_t)count)) return false;
    }
}

static bool readable(struct peer *peer) {
    if (peer->ssl) return read_tls(peer);
    if (peer->part_count) memcpy(in, peer->part, peer->part_count);
    return read_plain(peer);
}

// MARK: The loop

static void accept_all(void) {
    int fd, on = 1;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct peer *peer = calloc(1, sizeof *peer);
        if (!peer) fail("calloc");
        peer->fd = fd;
        if (context) {
            peer->ssl = SSL_new(context);
            if (!peer->ssl) fail("SSL_new");
            SSL_set_fd(peer->ssl, fd);
            SSL_set_accept_state(peer->ssl);
        }
        watch(peer, EPOLL_CTL_ADD, EPOLLIN);
    }
}

static void run(void) {
    static struct epoll_event events[EVENTS];
    for (;;) {
        int count = epoll_wait(poller, events, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            struct peer *peer = events[i].data.ptr;
            if (!peer) {
                accept_all();
                continue;
            }
            if (events[i].events & EPOLLOUT && peer->tail_count) put_tail(peer);
            if (events[i].events & ~(uint32_t)EPOLLOUT && !readable(peer)) end(peer);
        }
        end_turn();
    }
}

static void listen_on(int port) {
    int on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) fail("listen");
    getsockname(listener, (struct sockaddr *)&address, &size);
    poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
    printf("listening on %s://127.0.0.1:%d\n", context ? "https" : "http", ntohs(address.sin_port));
    fflush(stdout);
}

static void use_certificate(const char *certificate, const char *key) {
    context = SSL_CTX_new(TLS_server_method());
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_num_tickets(context, 1);
    if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1) {
        ERR_print_errors_fp(stderr);
        exit(1);
    }
}

int main(int count, char **arguments) {
    static const struct option names[] = {
        {"port", 1, 0, 'p'}, {"tls-cert", 1, 0, 'c'}, {"tls-key", 1, 0, 'k'}, {0, 0, 0, 0}};
    const char *certificate = NULL, *key = NULL;
    int port = 0;
    for (int option; (option = getopt_long(count, arguments, "", names, NULL)) != -1;) {
        switch (option) {
        case 'p': port = atoi(optarg); break;
        case 'c': certificate = optarg; break;
        case 'k': key = optarg; break;
        default: return 64;
        }
    }
    if (certificate && key) use_certificate(certificate, key);
    signal(SIGPIPE, SIG_IGN); // OpenSSL writes without MSG_NOSIGNAL.
    listen_on(port);
    run();
}
