#ifndef ROOMS_C_LIBWEBSOCKETS_H
#define ROOMS_C_LIBWEBSOCKETS_H

#include <libwebsockets.h>
#include <stdbool.h>
#include <uv.h>

// What the loop tells the owner of an adopted descriptor. `owner` is the pointer given to rooms_adopt().
struct rooms_descriptor_events {
    void (*readable)(void *owner);
    void (*writable)(void *owner);
    // The socket has failed, such as by a reset, and is being closed by libwebsockets itself: nothing may be asked of it
    // any more, not even its release.
    void (*failed)(void *owner);
    // The same, where the descriptor had been disowned: it must not be released any more.
    void (*dropped)(void *keeper, struct lws *wsi);
};

// The functions that every context calls. Set once, before the first context is made.
void rooms_set_descriptor_events(struct rooms_descriptor_events events);

// A libwebsockets context without a listener on a libuv loop of ours; NULL when it cannot be made.
// Contexts are made one after another: libwebsockets loads its libuv plug-in while doing so.
struct lws_context *rooms_context_create(uv_loop_t *loop);

// Hands a connected socket to the context. The descriptor belongs to libwebsockets from here on, also when this fails.
struct lws *rooms_adopt(struct lws_context *context, int fd, void *owner);

// No event of it is told any more; until its release it is `keeper` who hears when libwebsockets drops it by itself.
void rooms_disown(struct lws *wsi, void *keeper);

// Ends it: no event follows, and the descriptor is closed at the end of the loop's turn. Not from within its own event.
void rooms_release(struct lws *wsi);

void rooms_want_writable(struct lws *wsi);
void rooms_want_readable(struct lws *wsi, bool wanted);

// accept4() with close-on-exec and non-blocking; the peer's address is written to `peer`.
int rooms_accept(int listener, struct sockaddr_storage *peer, socklen_t *length);

#endif
