#define _GNU_SOURCE
#include "CLibWebSockets.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void (*tell_readable)(void *owner);

void rooms_set_readable(void (*readable)(void *owner)) { tell_readable = readable; }

static int descriptor_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len) {
    (void)user, (void)in, (void)len;
    if (reason == LWS_CALLBACK_RAW_RX_FILE) tell_readable(lws_get_opaque_user_data(wsi));
    return 0;
}

static const struct lws_protocols protocols[] = {
    {"descriptor", descriptor_callback, 0, 0, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

struct lws_context *rooms_context_create(uv_loop_t *loop) {
    static const lws_retry_bo_t no_idle_policy;
    void *loops[1] = {loop};
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    lws_set_log_level(LLL_ERR, NULL);
    info.port = CONTEXT_PORT_NO_LISTEN_SERVER; // -2 is without a vhost's listener; this makes the vhost and no more
    info.protocols = protocols;
    info.foreign_loops = loops;
    info.options = LWS_SERVER_OPTION_LIBUV;
    info.retry_and_idle_policy = &no_idle_policy;
    info.gid = (gid_t)-1;
    info.uid = (uid_t)-1;
    return lws_create_context(&info);
}

bool rooms_adopt(struct lws_context *context, int fd, void *owner) {
    struct lws_vhost *vhost = lws_get_vhost_by_name(context, "default");
    lws_adopt_desc_t description;
    memset(&description, 0, sizeof description);
    description.vh = vhost;
    description.type = LWS_ADOPT_RAW_FILE_DESC;
    description.fd.filefd = fd;
    description.opaque = owner;
    struct lws *wsi = vhost ? lws_adopt_descriptor_vhost_via_info(&description) : NULL;
    if (!wsi) close(fd);
    return wsi;
}

int rooms_accept(int listener, struct sockaddr_storage *peer, socklen_t *length) {
    *length = sizeof *peer;
    return accept4(listener, (struct sockaddr *)peer, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
