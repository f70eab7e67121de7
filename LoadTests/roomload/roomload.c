// A load of rooms from one thread: participants who move and make elements, each touch timed from when it was meant to be
// sent, and everything that comes held against what the server promises.
#include "ages.h"
#include "clock.h"
#include "event.h"
#include "figures.h"
#include "load.h"
#include "member.h"
#include "options.h"
#include "proof.h"
#include "touch.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

double clock_begin;
static struct sampler sampler;

static void tell_progress(void) {
    static uint64_t told;
    if (!isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r%3u s  %.2f M touches/s  p99 %.1f ms  %.0f MB  ", sampler.resident_count,
            (double)(arrivals.touches - told) / 1e6, histogram_percentile(&arrivals.touch_times, 0.99) / 1e3,
            (double)resident_bytes(options.pid) / 1e6);
    told = arrivals.touches;
}

static void go_on_until(double end) {
    for (double now; (now = seconds_now()) < end;) {
        double wait = load_turn();
        if (arrivals.is_measuring) ages_turn(now);
        if (arrivals.is_measuring && sampler_turn(&sampler, now)) tell_progress();
        links_poll(wait < end - now ? wait : end - now);
    }
}

// The counters, and what was added to them since.
static struct figures counters(struct figures since) {
    since.touches = arrivals.touches - since.touches;
    since.slow_touches = arrivals.slow_touches - since.slow_touches;
    since.element_events = arrivals.element_events - since.element_events;
    since.sent = load.touches - since.sent;
    since.held = load.held_touches - since.held;
    since.element_operations = load.element_operations - since.element_operations;
    return since;
}

static double settle(void) {
    double begin = seconds_now();
    load_stop();
    while (!proof_is_complete() && seconds_now() < begin + options.settle) links_poll(0.01);
    return seconds_now() - begin;
}

static int run(void) {
    double begin = seconds_now();
    members_connect();
    struct figures figures = {.join_seconds = seconds_now() - begin};
    load_begin();
    go_on_until(seconds_now() + options.warmup);
    memset(&load.lateness, 0, sizeof load.lateness);
    figures = counters(figures);
    arrivals.is_measuring = true;
    sampler_begin(&sampler);
    ages_begin(sampler.begin);
    go_on_until(sampler.begin + options.seconds);
    sampler_end(&sampler);
    arrivals.is_measuring = false;
    figures = counters(figures);
    figures.settle_seconds = settle();
    proof_conclude();
    if (isatty(STDERR_FILENO)) fputc('\n', stderr);
    figures_print(&figures, &sampler);
    return proof_broken_count() && !options.lenient ? 2 : 0;
}

// All join; with `idle`, what they hold is told once they are silent, and a line on standard input ends it.
static int join(void) {
    char line[16];
    sampler_begin(&sampler);
    members_connect();
    sampler_end(&sampler);
    if (!strcmp(options.mode, "idle")) {
        for (double end = seconds_now() + options.warmup; seconds_now() < end;) links_poll(0.01);
        sampler.resident_end = resident_bytes(options.pid);
    }
    figures_print_joined(&sampler);
    if (!strcmp(options.mode, "idle") && !fgets(line, sizeof line, stdin)) return 0;
    return proof_broken_count() && !options.lenient ? 2 : 0;
}

int main(int count, char **arguments) {
    options_read(count, arguments);
    if (clients() > CLIENTS_MAX) fail("at most %d clients", CLIENTS_MAX);
    clock_begin = seconds_now() - 0.001;
    struct link_settings settings = members_link_settings();
    links_begin(&settings);
    members_make();
    if (!strcmp(options.mode, "run")) return run();
    if (!strcmp(options.mode, "storm") || !strcmp(options.mode, "idle")) return join();
    fail("there is no mode '%s'", options.mode);
}
