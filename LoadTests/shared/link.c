#define _GNU_SOURCE
#include "link.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct link_settings settings;
static SSL_CTX *context;
static int poller;
static unsigned connected;
static uint8_t buffer[256 << 10];

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

double seconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

double cpu_seconds(int pid) {
    clockid_t clock;
    struct timespec time;
    if (!pid) return 0;
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time)) fail("process %d has no CPU clock", pid);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

size_t resident_bytes(int pid) {
    char path[64];
    unsigned long pages = 0;
    if (!pid) return 0;
    snprintf(path, sizeof path, "/proc/%d/statm", pid);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%*u %lu", &pages) != 1) fail("process %d is not there", pid);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

int descriptor_count(int pid) {
    char path[64];
    struct stat about;
    if (!pid) return 0;
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    // From Linux 6.2 on the size of the directory tells; before, one has to count.
    if (stat(path, &about)) return 0;
    if (about.st_size) return (int)about.st_size;
    DIR *directory = opendir(path);
    int count = directory ? -2 : 0;
    while (directory && readdir(directory)) count++;
    if (directory) closedir(directory);
    return count;
}

void links_begin(const struct link_settings *given) {
    settings = *given;
    signal(SIGPIPE, SIG_IGN); // OpenSSL writes without MSG_NOSIGNAL.
    prctl(PR_SET_TIMERSLACK, 1000); // What is due is sent on the microsecond, not 50 later.
    poller = epoll_create1(EPOLL_CLOEXEC);
    if (!settings.tls) return;
    context = SSL_CTX_new(TLS_client_method());
    if (!context) fail("no TLS context");
    // The certificate is the benchmark's own; what is measured is the server.
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

static void watch(struct link *link, int operation, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = link};
    if (epoll_ctl(poller, operation, link->fd, &event)) fail("epoll_ctl: %s", strerror(errno));
}

// What a link waits for: bytes unless it is paused, and room for its tail if it has one.
static void watch_again(struct link *link) {
    watch(link, EPOLL_CTL_MOD, (link->is_paused ? 0 : EPOLLIN) | (link->tail_count ? EPOLLOUT : 0));
}

static void bind_source(int fd) {
    int on = 1;
    struct sockaddr_in source = {.sin_family = AF_INET};
    source.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + connected++ % (unsigned)settings.sources);
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&source, sizeof source)) fail("bind: %s", strerror(errno));
}

void link_connect(struct link *link, int above) {
    struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(settings.port + above))};
    int on = 1;
    inet_pton(AF_INET, settings.host, &server.sin_addr);
    memset(link, 0, sizeof *link);
    link->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (link->fd < 0) fail("socket: %s", strerror(errno));
    setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (settings.sources > 1) bind_source(link->fd);
    if (connect(link->fd, (struct sockaddr *)&server, sizeof server) && errno != EINPROGRESS)
        fail("connect: %s", strerror(errno));
    link->state = LINK_CONNECTING;
    watch(link, EPOLL_CTL_ADD, EPOLLIN | EPOLLOUT);
}

static void release(struct link *link) {
    link->state = LINK_CLOSED;
    if (link->ssl) SSL_free(link->ssl);
    free(link->tail);
    close(link->fd);
    link->ssl = NULL;
    link->tail = NULL;
    link->tail_count = 0;
    link->fd = -1;
}

static void ended(struct link *link) {
    release(link);
    settings.ended(link);
}

void link_close(struct link *link) {
    if (link->state == LINK_CLOSED || link->state == LINK_NEW) return;
    if (link->ssl && link->state == LINK_OPEN) SSL_shutdown(link->ssl);
    release(link);
}

void link_abort(struct link *link) {
    struct linger none = {.l_onoff = 1, .l_linger = 0};
    if (link->state == LINK_CLOSED || link->state == LINK_NEW) return;
    setsockopt(link->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    release(link);
}

// MARK: Writing

// The bytes taken, or -1 when the connection is no more.
static ssize_t write_some(struct link *link, const void *bytes, size_t count) {
    if (!link->ssl) {
        ssize_t taken = send(link->fd, bytes, count, MSG_NOSIGNAL);
        return taken < 0 && errno == EAGAIN ? 0 : taken;
    }
    ERR_clear_error();
    int taken = SSL_write(link->ssl, bytes, (int)count);
    if (taken > 0) return taken;
    int error = SSL_get_error(link->ssl, taken);
    return error == SSL_ERROR_WANT_WRITE || error == SSL_ERROR_WANT_READ ? 0 : -1;
}

void link_send(struct link *link, const void *bytes, size_t count) {
    size_t done = 0;
    if (link->state != LINK_OPEN) return;
    while (!link->tail_count && done < count) {
        ssize_t taken = write_some(link, (const uint8_t *)bytes + done, count - done);
        if (taken < 0) return; // The event that follows ends it.
        if (taken == 0) break;
        done += (size_t)taken;
    }
    if (done == count) return;
    link->tail = realloc(link->tail, link->tail_count + count - done);
    if (!link->tail) fail("out of memory");
    memcpy(link->tail + link->tail_count, (const uint8_t *)bytes + done, count - done);
    link->tail_count += count - done;
    if (link->tail_count == count - done) watch_again(link);
}

static void send_tail(struct link *link) {
    ssize_t taken = write_some(link, link->tail, link->tail_count);
    if (taken <= 0) return;
    link->tail_count -= (size_t)taken;
    memmove(link->tail, link->tail + taken, link->tail_count);
    if (!link->tail_count) watch_again(link);
}

// MARK: Events

static void opened(struct link *link) {
    link->state = LINK_OPEN;
    watch(link, EPOLL_CTL_MOD, EPOLLIN);
    settings.opened(link);
}

static void shake(struct link *link) {
    ERR_clear_error();
    int status = SSL_do_handshake(link->ssl);
    if (status == 1) return opened(link);
    int error = SSL_get_error(link->ssl, status);
    if (error == SSL_ERROR_WANT_READ) return watch(link, EPOLL_CTL_MOD, EPOLLIN);
    if (error != SSL_ERROR_WANT_WRITE) ended(link);
}

static void connected_or_not(struct link *link) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(link->fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) return ended(link);
    if (!settings.tls) return opened(link);
    link->state = LINK_SHAKING;
    link->ssl = SSL_new(context);
    if (!link->ssl) fail("no TLS connection");
    SSL_set_fd(link->ssl, link->fd);
    SSL_set_connect_state(link->ssl);
    shake(link);
}

static void read_plain(struct link *link, size_t limit) {
    ssize_t count = recv(link->fd, buffer, limit, 0);
    if (count > 0) return settings.received(link, buffer, (size_t)count);
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) ended(link);
}

static void read_tls(struct link *link, size_t limit) {
    while (link->state == LINK_OPEN) {
        ERR_clear_error();
        int count = SSL_read(link->ssl, buffer, (int)limit);
        if (count > 0) {
            settings.received(link, buffer, (size_t)count);
            if (limit == sizeof buffer) continue;
            return;
        }
        int error = SSL_get_error(link->ssl, count);
        if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) ended(link);
        return;
    }
}

static void read_some(struct link *link, size_t limit) {
    link->ssl ? read_tls(link, limit) : read_plain(link, limit);
}

static void handle(struct link *link, uint32_t events) {
    switch (link->state) {
    case LINK_NEW:
    case LINK_CLOSED: return;
    case LINK_CONNECTING: return connected_or_not(link);
    case LINK_SHAKING: return shake(link);
    case LINK_OPEN: break;
    }
    if (events & EPOLLOUT && link->tail_count) send_tail(link);
    if (events & ~(uint32_t)EPOLLOUT) read_some(link, sizeof buffer);
}

void link_pause(struct link *link) {
    link->is_paused = true;
    if (link->state == LINK_OPEN) watch_again(link);
}

void link_resume(struct link *link) {
    link->is_paused = false;
    if (link->state != LINK_OPEN) return;
    watch_again(link);
    // What the TLS layer holds already is announced by no event.
    if (link->ssl) read_some(link, sizeof buffer);
}

void link_read(struct link *link, size_t limit) {
    if (link->state == LINK_OPEN && limit) read_some(link, limit < sizeof buffer ? limit : sizeof buffer);
}

void links_poll(double seconds) {
    static struct epoll_event events[1024];
    struct timespec timeout = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    if (seconds <= 0) timeout = (struct timespec){0};
    int count = epoll_pwait2(poller, events, 1024, &timeout, NULL);
    for (int i = 0; i < count; i++) handle(events[i].data.ptr, events[i].events);
}
