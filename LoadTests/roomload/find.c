#include "find.h"

#include "ages.h"
#include "event.h"
#include "output.h"
#include "options.h"
#include "proof.h"
#include "run.h"
#include "server.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIES_MAX = 32, CLIENTS_WITHIN = 19000 };
// Steps closer than this are not told apart, as runs differ by as much.
#define CLOSE 1.1
// So much of what was due must be sent, and of what was asked for come: a server may replace a position by a newer one, but
// not live on that.
#define SENT 0.98
#define DELIVERED 0.9
// A try is long enough for each mover to move a few times.
#define TIMES_MOVED 2.0
#define SECONDS_MAX 6.0
#define LITTLE 2
#define QUIET_SECONDS 20.0

struct try {
    double factor;
    int rooms, members;
    double hz;
    bool has_ended, has_passed, is_saturated, is_disturbed;
    double seconds, p99, age, delivered, asked, cpu;
    uint64_t lost;
};

static struct try *tries; // shared with the processes of the tries
static int try_count;
static struct options given;
static char *best;
static const struct try *best_try;

static int whole(double value) { return value < 1 ? 1 : (int)(value + 0.5); }

static void vary(double factor) {
    options = given;
    double load = given.rooms * given.hz * factor;
    switch (given.vary) {
    case VARIED_ROOMS: options.rooms = whole(given.rooms * factor); break;
    case VARIED_MEMBERS: options.members = whole(given.members * factor); break;
    case VARIED_HZ: options.hz = given.hz * factor; break;
    case VARIED_LOAD:
        options.rooms = whole(load / given.hz);
        if (load < given.hz) options.hz = load;
    }
    double seconds = TIMES_MOVED / options.hz;
    if (seconds > options.seconds) options.seconds = seconds < SECONDS_MAX ? seconds : SECONDS_MAX;
    options_settle();
}

static void judge(struct try *try, const struct figures *figures) {
    const struct histogram *touches = &arrivals.touch_times, *elements = &arrivals.element_times;
    uint32_t p99 = histogram_percentile(touches, 0.99), other = histogram_percentile(elements, 0.99);
    // Whoever is due just then may be counted or not.
    double movers = options.movers * options.rooms;
    bool is_sent = !figures->held && (double)figures->sent >= SENT * figures_due(figures) - movers;
    try->p99 = (p99 > other ? p99 : other) / 1e3;
    try->age = histogram_percentile(&ages, 0.99) / 1e3 - 1e3 / options.hz;
    // What is still on its way when a try has failed is not lost. A server that replaces positions may leave some out, as its
    // promises have it; of another each one counts.
    if (run_has_failed()) try->lost = 0;
    else if (!options.peer) try->lost = proof_broken_count();
    else try->lost = proof_lost_count() + (uint64_t)(figures->missing > 0 ? figures->missing : 0);
    try->seconds = figures->sampler.seconds;
    try->delivered = (double)figures_delivered(figures);
    try->asked = figures_asked(figures);
    try->cpu = figures->sampler.server_cpu / figures->sampler.seconds;
    try->is_disturbed = sampler_is_disturbed(&figures->sampler);
    try->is_saturated = sampler_is_saturated(&figures->sampler);
    // Low rates are not counted exactly in a short time, and who replaces nothing and loses nothing delivers all.
    bool is_delivered = options.peer || try->delivered >= DELIVERED * try->asked;
    bool is_in_time = try->p99 <= options.find && try->age <= options.find;
    try->has_passed = is_sent && is_delivered && is_in_time && !try->lost;
    try->has_ended = true;
}

// All that the process of a try writes.
static char *read_all(int fd) {
    size_t count = 0, room = 1 << 16;
    char *text = malloc(room);
    for (ssize_t got = 1; text && got > 0;) {
        got = read(fd, text + count, room - count - 1);
        if (got > 0) count += (size_t)got;
        if (count == room - 1) text = realloc(text, room *= 2);
    }
    if (!text) fail("out of memory");
    text[count] = 0;
    return text;
}

static void run_try(struct try *try, int fd) {
    struct figures figures;
    FILE *file = fdopen(fd, "w");
    run(&figures);
    judge(try, &figures);
    figures_print(file, &figures);
    fclose(file);
    exit(0);
}

// What a server still has to do after a try that was too much for it is not the next one's.
static void wait_for_quiet(void) {
    double end = seconds_now() + QUIET_SECONDS;
    for (double before = server_cpu_seconds(), now; options.pid_count && seconds_now() < end; before = now) {
        usleep(200000);
        now = server_cpu_seconds();
        if (now - before < 0.02) break;
    }
}

static void tell(const struct try *try) {
    fprintf(stderr, "%4d rooms of %d at %5.1f Hz: p99 %7.1f ms, age %+7.1f ms, %.2f cores, %llu lost, %5.1f %% came  %s%s\n",
            try->rooms, try->members, try->hz, try->p99, try->age, try->cpu, (unsigned long long)try->lost,
            try->asked > 0 ? 100 * try->delivered / try->asked : 0, try->has_passed ? "passed" : "failed",
            try->is_disturbed ? " (disturbed)" : "");
}

// A level that was tried already is not tried again.
static struct try *tried(void) {
    for (int i = try_count - 1; i >= 0; i--)
        if (tries[i].rooms == options.rooms && tries[i].members == options.members && tries[i].hz == options.hz)
            return &tries[i];
    return NULL;
}

static bool passes_once(double factor) {
    int ends[2];
    struct try *try = &tries[try_count++];
    *try = (struct try){.factor = factor, .rooms = options.rooms, .members = options.members, .hz = options.hz};
    if (pipe(ends)) fail("no pipe");
    pid_t process = fork();
    if (process < 0) fail("no process");
    if (!process) run_try(try, ends[1]);
    close(ends[1]);
    char *text = read_all(ends[0]);
    close(ends[0]);
    waitpid(process, NULL, 0);
    tell(try);
    if (try->has_passed && (!best_try || factor > best_try->factor)) {
        free(best);
        best = text;
        best_try = try;
    } else {
        free(text);
    }
    wait_for_quiet();
    return try->has_passed;
}

// A try that fails by little has a second chance, as has one that others disturbed: that is not the server's fault.
static bool passes(double factor) {
    vary(factor);
    if (clients() > CLIENTS_WITHIN || try_count >= TRIES_MAX - 1) return false;
    if (tried()) return tried()->has_passed;
    if (passes_once(factor)) return true;
    const struct try *last = &tries[try_count - 1];
    return (last->is_disturbed || last->p99 < LITTLE * options.find) && passes_once(factor);
}

static void search(void) {
    double low = options.start, high = 2 * low;
    if (passes(low)) {
        while (passes(high) && try_count < TRIES_MAX / 2) high *= 2;
        low = high / 2;
    } else {
        while (try_count < TRIES_MAX / 2 && !passes(low /= 2)) {}
        high = 2 * low;
    }
    while (best && high / low > CLOSE) {
        double middle = sqrt(low * high);
        if (passes(middle)) low = middle;
        else high = middle;
    }
}

static void print_tries(FILE *file) {
    fprintf(file, ",\"find\":{\"p99ms\":%g,\"tries\":[", given.find);
    bool was_full = false;
    for (int i = 0; i < try_count; i++) {
        const struct try *try = &tries[i];
        was_full |= try->is_saturated && !try->has_passed;
        fprintf(file,
                "%s{\"rooms\":%d,\"members\":%d,\"hz\":%g,\"passed\":%s,\"p99ms\":%.3f,\"lost\":%llu,\"cpu\":%.3f,"
                "\"seconds\":%.3f,\"delivered\":%.0f,\"asked\":%.0f,\"saturated\":%s}",
                i ? "," : "", try->rooms, try->members, try->hz, try->has_passed ? "true" : "false", try->p99,
                (unsigned long long)try->lost, try->cpu, try->seconds, try->delivered, try->asked,
                try->is_saturated ? "true" : "false");
    }
    // A try that failed with the generator's core full says nothing of the server.
    fprintf(file, "],\"limitedByGenerator\":%s}", was_full ? "true" : "false");
}

int find(void) {
    given = options;
    tries = mmap(NULL, TRIES_MAX * sizeof *tries, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (tries == MAP_FAILED) fail("out of memory");
    search();
    if (!best) fail("no load was low enough");
    char *text;
    size_t count;
    FILE *file = open_memstream(&text, &count);
    fputs(best, file);
    print_tries(file);
    fputc('}', file);
    fclose(file);
    if (output_wants_summary())
        printf("The highest load: %d rooms of %d at %g Hz: p99 %.1f ms, %.2f cores, %.0f touches delivered a second\n",
               best_try->rooms, best_try->members, best_try->hz, best_try->p99, best_try->cpu,
               best_try->delivered / best_try->seconds);
    output_write(text);
    return 0;
}
