#define _GNU_SOURCE
#include "metrics.h"

#include "options.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_MAX = 1 << 20, ANSWER_SECONDS = 3 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct metrics newest;
static struct sockaddr_in place = {.sin_family = AF_INET};
static char path[256] = "/metrics";

// MARK: Asking

static void find_place(const char *url) {
    char host[64] = "";
    unsigned port = 0;
    if (sscanf(url, "http://%63[0-9.]:%u%255s", host, &port, path) < 2 || inet_pton(AF_INET, host, &place.sin_addr) != 1)
        fail("--metrics is like http://127.0.0.1:9464/metrics, not %s", url);
    place.sin_port = htons((uint16_t)port);
}

static int connected(void) {
    struct timeval patience = {.tv_sec = ANSWER_SECONDS};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (!connect(fd, (struct sockaddr *)&place, sizeof place)) return fd;
    close(fd);
    return -1;
}

// The whole answer as a string, to be freed; NULL if none came.
static char *answer(void) {
    char request[400], *text = malloc(ANSWER_MAX + 1);
    int fd = text ? connected() : -1;
    if (fd < 0) {
        free(text);
        return NULL;
    }
    int length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);
    ssize_t count = send(fd, request, (size_t)length, MSG_NOSIGNAL);
    size_t sum = 0;
    while (count > 0 && sum < ANSWER_MAX && (count = recv(fd, text + sum, ANSWER_MAX - sum, 0)) > 0) sum += (size_t)count;
    close(fd);
    text[sum] = 0;
    if (!strncmp(text, "HTTP/1.", 7) && !strncmp(text + 8, " 200", 4)) return text;
    free(text);
    return NULL;
}

// MARK: Reading

// The value of a sample's line, and whether it is one of this name, whatever its labels.
static bool is_sample(const char *line, const char *name, double *value) {
    size_t count = strlen(name);
    if (strncmp(line, name, count) || (line[count] != ' ' && line[count] != '{')) return false;
    const char *end = strchr(line, '\n'), *last = memrchr(line, ' ', end ? (size_t)(end - line) : strlen(line));
    *value = last ? strtod(last, NULL) : 0;
    return true;
}

static void take_line(struct metrics *metrics, const char *line) {
    double value;
    if (is_sample(line, "process_cpu_seconds_total", &value)) metrics->cpu = value;
    else if (is_sample(line, "process_resident_memory_bytes", &value)) metrics->resident = value;
    else if (is_sample(line, "rooms_heap_bytes", &value)) metrics->heap = value;
    else if (is_sample(line, "process_open_fds", &value)) metrics->descriptors = value;
    else if (is_sample(line, "rooms_log_bytes", &value)) metrics->log_bytes += value;
    else if (is_sample(line, "rooms_elements", &value)) metrics->elements += value;
    else if (is_sample(line, "rooms_loop_lag_seconds", &value) && value > metrics->lag) metrics->lag = value;
}

static bool ask(void) {
    struct metrics metrics = {0};
    char *text = answer();
    if (!text) return false;
    for (const char *line = text; line; line = strchr(line, '\n')) take_line(&metrics, line += *line == '\n');
    free(text);
    pthread_mutex_lock(&mutex);
    newest = metrics;
    pthread_mutex_unlock(&mutex);
    return true;
}

// MARK: All

static void *ask_on(void *nothing) {
    for (;;) {
        sleep(1);
        ask();
    }
    return nothing;
}

void metrics_begin(void) {
    pthread_t thread;
    if (!options.metrics) return;
    find_place(options.metrics);
    if (!ask()) fail("no metrics came from %s", options.metrics);
    if (pthread_create(&thread, NULL, ask_on, NULL)) fail("no thread for metrics");
    pthread_detach(thread);
}

void metrics_ask(void) {
    if (options.metrics) ask();
}

struct metrics metrics_newest(void) {
    pthread_mutex_lock(&mutex);
    struct metrics metrics = newest;
    pthread_mutex_unlock(&mutex);
    return metrics;
}
