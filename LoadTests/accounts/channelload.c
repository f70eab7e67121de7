// Subscribers of a channel: channelload PORT TOKEN COUNT. Opens so many WebSockets for one person, subscribes each to
// profile_updates, and prints "ready". For each line that it reads it waits until every subscriber has got an update, and
// prints when the first, half of them, 99 of 100 and the last had it: nanoseconds of the monotonic clock.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 1 << 16, OPCODE_TEXT = 0x81, OPCODE_PING = 0x89, OPCODE_PONG = 0x8a };

static void die(const char *what) {
    perror(what);
    exit(1);
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/// Sends a short frame whose mask is zero.
static void send_frame(int fd, int opcode, const void *bytes, size_t length) {
    unsigned char frame[131] = {opcode, 0x80 | length};
    memcpy(frame + 6, bytes, length);
    if (send(fd, frame, length + 6, MSG_NOSIGNAL) < 0) die("send");
}

/// Reads until a text has come.
static void wait_for(int fd, const char *text) {
    static char buffer[BUFFER];
    size_t length = 0;
    while (length < sizeof buffer - 1) {
        ssize_t count = recv(fd, buffer + length, sizeof buffer - 1 - length, 0);
        if (count <= 0) die(text);
        length += count;
        buffer[length] = 0;
        if (memmem(buffer, length, text, strlen(text))) return;
    }
    fprintf(stderr, "no %s: %s\n", text, buffer);
    exit(1);
}

static int subscribed(int port, const char *token) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) die("connect");
    char request[2048];
    int length = snprintf(
        request, sizeof request,
        "GET /interspace/ws?token=%s HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", token);
    if (send(fd, request, length, MSG_NOSIGNAL) != length) die("send");
    wait_for(fd, "\"authenticated\"");
    const char *subscribe = "{\"type\":\"subscribe\",\"channels\":[\"profile_updates\"]}";
    send_frame(fd, OPCODE_TEXT, subscribe, strlen(subscribe));
    wait_for(fd, "\"subscribed\"");
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

/// Reads what has come, which are whole frames. Gives the number of texts.
static int read_frames(int fd) {
    static unsigned char buffer[BUFFER];
    ssize_t length = recv(fd, buffer, sizeof buffer, 0);
    if (length < 0 && errno == EAGAIN) return 0;
    if (length <= 0) die("recv");
    int texts = 0;
    for (ssize_t place = 0; place + 2 <= length;) {
        unsigned char opcode = buffer[place];
        size_t size = buffer[place + 1], head = 2;
        if (size == 126) size = buffer[place + 2] << 8 | buffer[place + 3], head = 4;
        if (opcode == OPCODE_PING) send_frame(fd, OPCODE_PONG, buffer + place + head, size);
        texts += opcode == OPCODE_TEXT;
        place += head + size;
    }
    return texts;
}

int main(int argc, char **argv) {
    if (argc != 4) return fputs("channelload PORT TOKEN COUNT\n", stderr), 64;
    int count = atoi(argv[3]), poll = epoll_create1(EPOLL_CLOEXEC);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    long long *times = calloc(count, sizeof *times);
    for (int number = 0; number < count; number++) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = subscribed(atoi(argv[1]), argv[2])};
        epoll_ctl(poll, EPOLL_CTL_ADD, event.data.fd, &event);
    }
    struct epoll_event input = {.events = EPOLLIN, .data.fd = 0};
    epoll_ctl(poll, EPOLL_CTL_ADD, 0, &input);
    puts("ready");
    fflush(stdout);
    for (int got = 0;;) {
        struct epoll_event events[512];
        int found = epoll_wait(poll, events, 512, -1);
        for (int index = 0; index < found; index++) {
            if (events[index].data.fd == 0) {
                char line[16];
                if (!fgets(line, sizeof line, stdin)) return 0;
                got = 0;
                puts("waiting");
                fflush(stdout);
            } else if (read_frames(events[index].data.fd) && got < count) {
                times[got++] = now();
                if (got < count) continue;
                printf("%lld %lld %lld %lld\n", times[0], times[count / 2], times[count * 99 / 100], times[count - 1]);
                fflush(stdout);
            }
        }
    }
}
