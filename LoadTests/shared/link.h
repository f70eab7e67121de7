// Client connections on one epoll: plain or TLS, from several loopback addresses. One thread, one set of connections.
#ifndef LINK_H
#define LINK_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum link_state { LINK_NEW, LINK_CONNECTING, LINK_SHAKING, LINK_OPEN, LINK_CLOSED };

struct link {
    enum link_state state;
    int fd;
    SSL *ssl;
    bool is_paused;
    // What the kernel did not take of a write.
    uint8_t *tail;
    size_t tail_count;
};

struct link_settings {
    const char *host;
    int port;
    bool tls;
    // Connections come from 127.0.0.2, .3, … in turn when there are more than one, so that ports suffice.
    int sources;
    void (*opened)(struct link *);
    // The bytes are gone after the call.
    void (*received)(struct link *, const uint8_t *bytes, size_t count);
    // The server ended it, or it failed; it is closed already.
    void (*ended)(struct link *);
};

void links_begin(const struct link_settings *settings);
// Connects to the server's port, or to the one so many above it.
void link_connect(struct link *link, int above);
void link_send(struct link *link, const void *bytes, size_t count);
void link_close(struct link *link);
// Ends it without a farewell: the server gets a reset.
void link_abort(struct link *link);
// Waits for events, at most so long, and tells of them.
void links_poll(double seconds);
// A paused link is read only by `link_read`, so many bytes at a time.
void link_pause(struct link *link);
void link_resume(struct link *link);
void link_read(struct link *link, size_t limit);

double seconds_now(void);
// Resident bytes of a process, or 0 when `pid` is.
size_t resident_bytes(int pid);
// Open descriptors of a process, or 0 when `pid` is.
int descriptor_count(int pid);
// CPU seconds that a process has used, user and system, or 0 when `pid` is.
double cpu_seconds(int pid);
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
