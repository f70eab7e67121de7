#include "run.h"

#include "ages.h"
#include "clock.h"
#include "crowd.h"
#include "event.h"
#include "load.h"
#include "metrics.h"
#include "options.h"
#include "proof.h"
#include "series.h"
#include "server.h"

#include <string.h>
#include <unistd.h>

static void begin(void) {
    clock_begin = seconds_now() - 0.001;
    arrivals.is_lively = options.leaves > 0 || options.drops > 0;
    struct link_settings settings = crowd_link_settings();
    links_begin(&settings);
    crowd_make();
    metrics_begin();
}

static int verdict(void) { return proof_broken_count() && !options.peer ? 2 : 0; }

static void tell_progress(const struct sample *sample) {
    if (!isatty(STDERR_FILENO) || options.find > 0) return;
    fprintf(stderr,
            "\r%4.0f of %.0f s  %d in  %.2f M touches/s  p50 %.1f p99 %.1f ms  server %.2f cores %.0f MB  %llu broken ",
            sample->at, options.seconds, sample->joined, (double)sample->delivered / sample->seconds / 1e6,
            sample->p50 / 1e3, sample->p99 / 1e3, sample->cpu / sample->seconds, (double)sample->resident / 1e6,
            (unsigned long long)sample->broken);
}

static void go_on_until(double end) {
    const struct sample *sample;
    for (double now; (now = seconds_now()) < end;) {
        double wait = load_turn();
        if (arrivals.is_measuring) ages_turn(now);
        if (arrivals.is_measuring && (sample = series_turn(now))) tell_progress(sample);
        links_poll(wait < end - now ? wait : end - now);
    }
}

// A try that is too late already need not wait for what is later still.
bool run_has_failed(void) {
    return options.find > 0 && histogram_percentile(&arrivals.touch_times, 0.99) > options.find * 1000;
}

static double settle(void) {
    load_stop();
    if (run_has_failed()) return 0;
    double begun = seconds_now();
    while (!proof_is_complete() && seconds_now() < begun + options.settle) links_poll(0.01);
    return seconds_now() - begun;
}

int run(struct figures *figures) {
    begin();
    double begun = seconds_now();
    crowd_connect();
    double joined = seconds_now();
    load_begin();
    go_on_until(seconds_now() + options.warmup);
    memset(&load.lateness, 0, sizeof load.lateness);
    *figures = figures_since((struct figures){.join_seconds = joined - begun});
    arrivals.is_measuring = true;
    sampler_begin(&figures->sampler);
    ages_begin(figures->sampler.begin);
    series_begin(figures->sampler.begin);
    go_on_until(figures->sampler.begin + options.seconds);
    sampler_end(&figures->sampler);
    series_end(figures->sampler.begin + figures->sampler.seconds);
    arrivals.is_measuring = false;
    *figures = figures_since(*figures);
    figures->settle_seconds = settle();
    figures->missing = (int64_t)(load.expected - arrivals.touches - arrivals.slow_touches);
    if (!run_has_failed()) proof_conclude();
    if (isatty(STDERR_FILENO)) fputc('\n', stderr);
    return verdict();
}

// With `idle`, what they hold is told once they are silent, and a line on standard input ends it.
int run_of_joins(void) {
    struct sampler sampler;
    bool is_idle = !strcmp(options.mode, "idle");
    char line[16];
    begin();
    sampler_begin(&sampler);
    crowd_connect();
    sampler_end(&sampler);
    if (is_idle) {
        for (double end = seconds_now() + options.warmup; seconds_now() < end;) links_poll(0.01);
        metrics_ask();
        sampler.resident_end = server_resident_bytes();
    }
    figures_print_joined(stdout, &sampler);
    puts("}");
    fflush(stdout);
    if (is_idle && !fgets(line, sizeof line, stdin)) return 0;
    return verdict();
}
