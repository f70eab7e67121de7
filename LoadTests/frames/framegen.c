// A load of WebSocket connections from one thread; figures as one line of JSON.
//
//   framegen echo    each connection sends a batch in one write and the next when all of it has come back
//   framegen fan     the first connection sends batches; every connection must get each before the next goes out
//   framegen hold    opens connections and says so; closes them when a line comes on standard input
//   framegen storm   a line on standard input: open all; another: end all, each in one of three ways
//
// With --rate N, echo sends N frames a second in all, whether answers come or not.
// With --session, a connection counts as open when the Socket.IO server has accepted its CONNECT.
#include "../shared/frames.h"
#include "../shared/link.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CONNECTING_MAX = 256, SAMPLES_MAX = 1 << 20 };

struct member {
    struct link link; // first: the link is the member
    bool is_open, upgraded, was_lost;
    uint8_t header[14];
    unsigned header_count, line_end;
    size_t skip;
    uint8_t start[2];
    unsigned start_count;
    unsigned missing;
    double sent_at;
};

static struct {
    const char *mode, *path;
    struct link_settings link;
    int connections, batch, size, pid, rate;
    double seconds, warmup;
    bool session;
} options = {
    .path = "/echo", .link = {.host = "127.0.0.1", .port = 3000, .sources = 1},
    .connections = 100, .batch = 1, .size = 110, .seconds = 3, .warmup = 0.5,
};

static struct member *members;
static int open_count, begun_count, lost_count;
static uint64_t frames, bytes;
static uint8_t *batch;
static size_t batch_bytes;
static unsigned round_missing; // of a one-to-many round
static bool is_sending;
static float *samples;
static size_t sample_count;

// MARK: What is sent

static void make_batch(void) {
    char *payload = malloc((size_t)options.size);
    batch = malloc((size_t)options.batch * ((size_t)options.size + 14));
    if (!payload || !batch) fail("out of memory");
    for (int i = 0; i < options.size; i++) payload[i] = "{\"roomId\":\"r1\",\"x\":0.123,\"y\":0.456} "[i % 37];
    for (int i = 0; i < options.batch; i++)
        batch_bytes += frame_masked(batch + batch_bytes, 0x81, payload, (size_t)options.size);
    free(payload);
}

static void sample(double since) {
    if (sample_count < SAMPLES_MAX) samples[sample_count++] = (float)(seconds_now() - since);
}

static void send_batch(struct member *member) {
    member->missing = (unsigned)options.batch;
    member->sent_at = seconds_now();
    link_send(&member->link, batch, batch_bytes);
}

static void send_to_all(void) {
    for (int i = 0; i < options.connections; i++) members[i].missing = (unsigned)options.batch;
    round_missing = (unsigned)options.connections;
    members[0].sent_at = seconds_now();
    link_send(&members[0].link, batch, batch_bytes);
}

// MARK: What comes

static void became_open(struct member *member) {
    if (member->is_open) return;
    member->is_open = true;
    open_count++;
}

static void text_send(struct member *member, const char *text) {
    uint8_t frame[256];
    link_send(&member->link, frame, frame_masked(frame, 0x81, text, strlen(text)));
}

// A session's handshake: the open packet is answered with CONNECT, and CONNECT with one. Pings get their pong.
static void took_session_frame(struct member *member) {
    switch (member->start[0]) {
    case '0': return text_send(member, "40");
    case '2': return text_send(member, "3");
    case '4':
        if (member->start[1] == '0') became_open(member);
    }
}

static void took_frame(struct member *member) {
    frames++;
    if (options.session) return took_session_frame(member);
    if (!member->missing || --member->missing || !is_sending) return;
    if (!strcmp(options.mode, "echo")) {
        sample(member->sent_at);
        send_batch(member);
    } else if (!strcmp(options.mode, "fan") && !--round_missing) {
        sample(members[0].sent_at);
        send_to_all();
    }
}

// Answers how many bytes of the response's head were used.
static size_t read_response(struct member *member, const uint8_t *at, size_t count) {
    static const char end[] = "\r\n\r\n", status[] = "HTTP/1.1 101";
    for (size_t i = 0; i < count; i++) {
        if (member->header_count < 12) {
            if (at[i] != (uint8_t)status[member->header_count]) fail("the upgrade to %s was refused", options.path);
            member->header_count++;
        }
        member->line_end = at[i] == (uint8_t)end[member->line_end] ? member->line_end + 1 : at[i] == '\r';
        if (member->line_end < 4) continue;
        member->upgraded = true;
        member->header_count = 0;
        if (!options.session) became_open(member);
        return i + 1;
    }
    return count;
}

static void read_frames(struct member *member, const uint8_t *at, size_t count) {
    const uint8_t *end = at + count;
    while (at < end && member->link.state == LINK_OPEN) {
        if (member->skip) {
            size_t part = member->skip < (size_t)(end - at) ? member->skip : (size_t)(end - at);
            for (size_t i = 0; i < part && member->start_count < 2; i++) member->start[member->start_count++] = at[i];
            at += part;
            bytes += part;
            member->skip -= part;
            if (!member->skip) took_frame(member);
            continue;
        }
        member->header[member->header_count++] = *at++;
        if (member->header_count < 2 || member->header_count < frame_header_length(member->header[1])) continue;
        member->header_count = member->start_count = 0;
        member->skip = frame_payload_length(member->header);
        if (member->header[0] == 0x88)
            fail("the server closed a connection: %d %.*s", end - at >= 2 ? at[0] << 8 | at[1] : 0,
                 end - at > 2 ? (int)(end - at) - 2 : 0, at + 2);
        if (!member->skip) fail("an empty frame came");
    }
}

static void link_received(struct link *link, const uint8_t *at, size_t count) {
    struct member *member = (struct member *)link;
    size_t used = member->upgraded ? 0 : read_response(member, at, count);
    read_frames(member, at + used, count - used);
}

static void link_opened(struct link *link) {
    char request[512];
    int length = snprintf(request, sizeof request,
                          "GET %s HTTP/1.1\r\nHost: %s:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
                          options.path, options.link.host, options.link.port);
    link_send(link, request, (size_t)length);
}

static void link_ended(struct link *link) {
    struct member *member = (struct member *)link;
    if (member->is_open) open_count--;
    member->is_open = false;
    member->was_lost = true;
    lost_count++;
}

// MARK: Opening and ending

static void connect_all(void) {
    double start = seconds_now();
    for (begun_count = 0; open_count + lost_count < options.connections;) {
        while (begun_count < options.connections && begun_count - open_count - lost_count < CONNECTING_MAX) {
            struct member *member = &members[begun_count++];
            memset(member, 0, sizeof *member);
            link_connect(&member->link, 0);
        }
        links_poll(1);
        if (seconds_now() - start > 120) fail("%d of %d connections opened in two minutes", open_count, begun_count);
    }
}

// A third each: goodbye and close, close without a word, reset.
static void end_all(void) {
    static const uint8_t code[2] = {1000 >> 8, 1000 & 255};
    uint8_t frame[16];
    size_t length = frame_masked(frame, 0x88, code, 2);
    for (int i = 0; i < options.connections; i++) {
        struct link *link = &members[i].link;
        if (i % 3 == 0) link_send(link, frame, length);
        if (i % 3 == 2) link_abort(link);
        link_close(link);
    }
    open_count = 0;
}

static bool wait_for_line(void) {
    char line[64];
    return fgets(line, sizeof line, stdin) != NULL;
}

// MARK: The modes

static void run_until(double end, uint64_t *planned, double start) {
    for (double now; (now = seconds_now()) < end;) {
        links_poll(options.rate ? 0.001 : 0.1);
        if (!options.rate) continue;
        uint64_t due = (uint64_t)((seconds_now() - start) * options.rate) / (uint64_t)options.batch;
        while (*planned < due) send_batch(&members[(*planned)++ % (uint64_t)options.connections]);
    }
}

static int compare(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double percentile(double part) {
    if (!sample_count) return 0;
    return (double)samples[(size_t)((double)(sample_count - 1) * part)] * 1e6;
}

static void flow(void) {
    connect_all();
    if (lost_count) fail("%d connections were lost at the start", lost_count);
    uint64_t planned = 0;
    is_sending = !options.rate;
    double start = seconds_now();
    if (!strcmp(options.mode, "fan")) send_to_all();
    else if (!options.rate)
        for (int i = 0; i < options.connections; i++) send_batch(&members[i]);
    run_until(start + options.warmup, &planned, start);
    sample_count = 0;
    uint64_t first = frames;
    double cpu = cpu_seconds(options.pid), own = cpu_seconds((int)getpid()), begin = seconds_now();
    run_until(begin + options.seconds, &planned, start);
    uint64_t count = frames - first;
    double seconds = seconds_now() - begin;
    cpu = cpu_seconds(options.pid) - cpu;
    own = cpu_seconds((int)getpid()) - own;
    if (bytes < count * (uint64_t)options.size) fail("frames came back shorter than they were sent");
    qsort(samples, sample_count, sizeof *samples, compare);
    printf("{\"frames\":%llu,\"seconds\":%.4f,\"cpu\":%.4f,\"generatorCPU\":%.4f,\"p50us\":%.1f,\"p99us\":%.1f,"
           "\"lost\":%d}\n",
           (unsigned long long)count, seconds, cpu, own, percentile(0.5), percentile(0.99), lost_count);
}

static void hold_or_storm(void) {
    bool storms = !strcmp(options.mode, "storm");
    if (storms && !wait_for_line()) return;
    do {
        lost_count = 0;
        double cpu = cpu_seconds(options.pid), begin = seconds_now();
        connect_all();
        printf("{\"open\":%d,\"lost\":%d,\"seconds\":%.4f,\"cpu\":%.4f}\n", open_count, lost_count,
               seconds_now() - begin, cpu_seconds(options.pid) - cpu);
        fflush(stdout);
        if (!wait_for_line()) return;
        end_all();
        printf("{\"open\":0}\n");
        fflush(stdout);
    } while (storms && wait_for_line());
}

static const struct option names[] = {
    {"host", 1, 0, 'h'}, {"port", 1, 0, 'p'},   {"tls", 0, 0, 't'},     {"path", 1, 0, 'u'},
    {"size", 1, 0, 's'}, {"batch", 1, 0, 'k'},  {"seconds", 1, 0, 'd'}, {"connections", 1, 0, 'n'},
    {"pid", 1, 0, 'i'},  {"warmup", 1, 0, 'w'}, {"sources", 1, 0, 'f'}, {"session", 0, 0, 'S'},
    {"rate", 1, 0, 'r'}, {0, 0, 0, 0},
};

static void read_options(int count, char **arguments) {
    for (int option; (option = getopt_long(count, arguments, "", names, NULL)) != -1;) {
        switch (option) {
        case 'h': options.link.host = optarg; break;
        case 'p': options.link.port = atoi(optarg); break;
        case 't': options.link.tls = true; break;
        case 'u': options.path = optarg; break;
        case 's': options.size = atoi(optarg); break;
        case 'k': options.batch = atoi(optarg); break;
        case 'd': options.seconds = atof(optarg); break;
        case 'n': options.connections = atoi(optarg); break;
        case 'i': options.pid = atoi(optarg); break;
        case 'w': options.warmup = atof(optarg); break;
        case 'f': options.link.sources = atoi(optarg); break;
        case 'S': options.session = true; break;
        case 'r': options.rate = atoi(optarg); break;
        default: exit(64);
        }
    }
    if (optind != count - 1) fail("one mode is needed: echo, fan, hold or storm");
    options.mode = arguments[optind];
    if (options.connections < 1 || options.batch < 1 || options.size < 1 || options.link.sources < 1)
        fail("numbers are positive");
}

int main(int count, char **arguments) {
    read_options(count, arguments);
    members = calloc((size_t)options.connections, sizeof *members);
    samples = malloc(SAMPLES_MAX * sizeof *samples);
    if (!members || !samples) fail("out of memory");
    options.link.opened = link_opened;
    options.link.received = link_received;
    options.link.ended = link_ended;
    links_begin(&options.link);
    make_batch();
    if (!strcmp(options.mode, "echo") || !strcmp(options.mode, "fan")) flow();
    else if (!strcmp(options.mode, "hold") || !strcmp(options.mode, "storm")) hold_or_storm();
    else fail("there is no mode '%s'", options.mode);
}
