#ifndef ROOMS_C_LIBWEBSOCKETS_H
#define ROOMS_C_LIBWEBSOCKETS_H

#include <libwebsockets.h>
#include <stdbool.h>
#include <uv.h>

// What every context calls when an adopted descriptor is readable. `owner` is the pointer given to rooms_adopt().
// Set once, before the first context is made.
void rooms_set_readable(void (*readable)(void *owner));

// A libwebsockets context without a listener on a libuv loop of ours; NULL when it cannot be made.
// Contexts are made one after another: libwebsockets loads its libuv plug-in while doing so.
struct lws_context *rooms_context_create(uv_loop_t *loop);

// Hands a descriptor to the context. It belongs to libwebsockets from here on, also when this fails.
bool rooms_adopt(struct lws_context *context, int fd, void *owner);

// accept4() with close-on-exec and non-blocking; the peer's address is written to `peer`.
int rooms_accept(int listener, struct sockaddr_storage *peer, socklen_t *length);

#endif
