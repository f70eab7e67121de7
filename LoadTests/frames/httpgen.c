// A load of HTTP requests on kept-alive connections from one thread; figures as one line of JSON.
//
//   httpgen get    each connection asks for --path again as soon as it is answered; with a token if there is --bearer
//   httpgen poll   Engine.IO long-polling with an echo: one connection of a session waits in a GET, the other brings a
//                  message by POST; a round trip is over when the POST is answered and the GET has brought the message
#define _GNU_SOURCE
#include "../shared/link.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER_BYTES = 4096 };

struct asker {
    struct link link; // first: the link is the asker
    char answer[ANSWER_BYTES];
    size_t answer_count;
    struct session *session; // nil with plain GETs
    bool is_poll;
};

struct session {
    struct asker poll, post;
    char sid[64];
    bool polled, posted;
};

static struct {
    const char *mode, *path, *bearer;
    struct link_settings link;
    int connections, pid;
    double seconds, warmup;
} options = {
    .path = "/", .link = {.host = "127.0.0.1", .port = 3000, .sources = 1},
    .connections = 64, .seconds = 3, .warmup = 0.5,
};

static uint64_t requests, rounds;
static int open_count;

static void ask(struct asker *asker, const char *method, const char *query, const char *body) {
    char request[4096];
    int length = snprintf(request, sizeof request, "%s %s%s HTTP/1.1\r\nHost: %s:%d\r\n", method, options.path, query,
                          options.link.host, options.link.port);
    if (options.bearer)
        length += snprintf(request + length, sizeof request - (size_t)length, "Authorization: Bearer %s\r\n",
                           options.bearer);
    length += body ? snprintf(request + length, sizeof request - (size_t)length,
                              "Content-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s", strlen(body), body)
                   : snprintf(request + length, sizeof request - (size_t)length, "\r\n");
    link_send(&asker->link, request, (size_t)length);
}

static void session_ask(struct asker *asker, const char *method, const char *body) {
    char query[128];
    snprintf(query, sizeof query, "?EIO=4&transport=polling&sid=%s", asker->session->sid);
    ask(asker, method, query, body);
}

static void begin_round(struct session *session) {
    session->polled = session->posted = false;
    session_ask(&session->poll, "GET", NULL);
    session_ask(&session->post, "POST", "4a message of a moderate length, as they are");
}

static void session_answered(struct asker *asker, const char *body) {
    struct session *session = asker->session;
    if (!*session->sid) {
        if (sscanf(body, "0{\"sid\":\"%63[^\"]", session->sid) != 1) fail("no session: %s", body);
        return begin_round(session);
    }
    if (asker->is_poll && *body == '2') {
        // A ping instead of the message: answered, and polled on for the message.
        return session_ask(asker, "GET", NULL);
    }
    *(asker->is_poll ? &session->polled : &session->posted) = true;
    if (!session->polled || !session->posted) return;
    rounds++;
    begin_round(session);
}

static void link_opened(struct link *link) {
    struct asker *asker = (struct asker *)link;
    open_count++;
    if (!asker->session) return ask(asker, "GET", "", NULL);
    // A session begins when both of its connections are there.
    if (asker->session->poll.link.state == LINK_OPEN && asker->session->post.link.state == LINK_OPEN)
        ask(&asker->session->poll, "GET", "?EIO=4&transport=polling", NULL);
}

static void link_received(struct link *link, const uint8_t *bytes, size_t count) {
    struct asker *asker = (struct asker *)link;
    if (asker->answer_count + count >= ANSWER_BYTES) fail("an answer has over %d bytes", ANSWER_BYTES);
    memcpy(asker->answer + asker->answer_count, bytes, count);
    asker->answer_count += count;
    asker->answer[asker->answer_count] = 0;
    char *head_end = strstr(asker->answer, "\r\n\r\n");
    if (!head_end) return;
    if (strncmp(asker->answer, "HTTP/1.1 200", 12)) fail("an answer was %.40s", asker->answer);
    char *length = strcasestr(asker->answer, "\r\ncontent-length:");
    if (!length) fail("an answer came without Content-Length");
    size_t whole = (size_t)(head_end + 4 - asker->answer) + strtoul(length + 17, NULL, 10);
    if (asker->answer_count < whole) return;
    asker->answer_count = 0;
    requests++;
    if (asker->session) session_answered(asker, head_end + 4);
    else ask(asker, "GET", "", NULL);
}

static void link_ended(struct link *link) {
    (void)link;
    fail("the server ended a connection");
}

static void connect_askers(void) {
    for (int i = 0; i < options.connections; i++) {
        struct asker *asker = calloc(1, sizeof *asker);
        if (!asker) fail("out of memory");
        link_connect(&asker->link, 0);
    }
}

static void connect_sessions(void) {
    for (int i = 0; i < options.connections; i++) {
        struct session *session = calloc(1, sizeof *session);
        if (!session) fail("out of memory");
        link_connect(&session->poll.link, 0);
        link_connect(&session->post.link, 0);
        session->poll.session = session->post.session = session;
        session->poll.is_poll = true;
    }
}

static void run_for(double seconds) {
    for (double end = seconds_now() + seconds; seconds_now() < end;) links_poll(0.1);
}

static const struct option names[] = {
    {"host", 1, 0, 'h'}, {"port", 1, 0, 'p'},    {"tls", 0, 0, 't'},         {"path", 1, 0, 'u'},
    {"pid", 1, 0, 'i'},  {"seconds", 1, 0, 'd'}, {"connections", 1, 0, 'n'}, {"warmup", 1, 0, 'w'},
    {"bearer", 1, 0, 'b'}, {0, 0, 0, 0},
};

static void read_options(int count, char **arguments) {
    for (int option; (option = getopt_long(count, arguments, "", names, NULL)) != -1;) {
        switch (option) {
        case 'h': options.link.host = optarg; break;
        case 'p': options.link.port = atoi(optarg); break;
        case 't': options.link.tls = true; break;
        case 'u': options.path = optarg; break;
        case 'i': options.pid = atoi(optarg); break;
        case 'd': options.seconds = atof(optarg); break;
        case 'n': options.connections = atoi(optarg); break;
        case 'w': options.warmup = atof(optarg); break;
        case 'b': options.bearer = optarg; break;
        default: exit(64);
        }
    }
    if (optind != count - 1) fail("one mode is needed: get or poll");
    options.mode = arguments[optind];
}

int main(int count, char **arguments) {
    read_options(count, arguments);
    options.link.opened = link_opened;
    options.link.received = link_received;
    options.link.ended = link_ended;
    links_begin(&options.link);
    bool polls = !strcmp(options.mode, "poll");
    if (!polls && strcmp(options.mode, "get")) fail("there is no mode '%s'", options.mode);
    polls ? connect_sessions() : connect_askers();
    run_for(options.warmup);
    uint64_t first_request = requests, first_round = rounds;
    double cpu = cpu_seconds(options.pid), begin = seconds_now();
    run_for(options.seconds);
    cpu = cpu_seconds(options.pid) - cpu;
    printf("{\"requests\":%llu,\"rounds\":%llu,\"open\":%d,\"seconds\":%.4f,\"cpu\":%.4f}\n",
           (unsigned long long)(requests - first_request), (unsigned long long)(rounds - first_round), open_count,
           seconds_now() - begin, cpu);
}
