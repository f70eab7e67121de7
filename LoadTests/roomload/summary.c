#include "ages.h"
#include "event.h"
#include "figures.h"
#include "life.h"
#include "load.h"
#include "options.h"
#include "proof.h"
#include "series.h"

#include <string.h>

// A number with commas, in one of a few places that are used in turn.
static const char *grouped(double value) {
    static char places[8][32];
    static unsigned turn;
    char *place = places[turn++ % 8], digits[32];
    size_t count = (size_t)snprintf(digits, sizeof digits, "%.0f", value), at = 0;
    for (size_t i = 0; i < count && at < 30; i++) {
        if (i && (count - i) % 3 == 0 && digits[i - 1] != '-') place[at++] = ',';
        place[at++] = digits[i];
    }
    place[at] = 0;
    return place;
}

static void print_times(FILE *file, const char *name, const struct histogram *times) {
    if (!times->count) return;
    static const double parts[] = {0.5, 0.9, 0.99, 0.999, 1};
    static const char *const titles[] = {"p50", "p90", "p99", "p99.9", "max"};
    fprintf(file, "  %-11s", name);
    for (int i = 0; i < 5; i++)
        fprintf(file, " %s %.1f ", titles[i],
                (parts[i] < 1 ? histogram_percentile(times, parts[i]) : times->max) / 1000.0);
    fputs("ms\n", file);
}

static void print_touches(FILE *file, const struct figures *figures) {
    double asked = figures_asked(figures), delivered = (double)figures_delivered(figures);
    fprintf(file, "  %-12s%s of %s that were asked for (%.1f %%), %s a second\n", "touches", grouped(delivered),
            grouped(asked), asked > 0 ? 100 * delivered / asked : 0, grouped(delivered / figures->sampler.seconds));
    print_times(file, "  latency", &arrivals.touch_times);
    print_times(file, "  age", &ages);
    if (!figures->element_events) return;
    fprintf(file, "  %-12s%s, of which everybody was told: %s events\n", "elements",
            grouped((double)figures->element_operations), grouped((double)figures->element_events));
    print_times(file, "  latency", &arrivals.element_times);
}

static void print_cost(FILE *file, const struct figures *figures) {
    const struct sampler *sampler = &figures->sampler;
    if (sampler->server_cpu > 0)
        fprintf(file,
                "  %-12s%.3f cores, %s touches delivered per second of CPU, %.2f us a packet, %.1f MB, %d descriptors\n",
                "server", sampler->server_cpu / sampler->seconds,
                grouped((double)figures_delivered(figures) / sampler->server_cpu),
                figures_micros_per_frame(figures, sampler->server_cpu), (double)sampler->resident_end / 1e6,
                sampler->descriptors_end);
    fprintf(file, "  %-12s%.3f cores, %.2f us a packet%s\n", "generator", sampler->own_cpu / sampler->seconds,
            figures_micros_per_frame(figures, sampler->own_cpu),
            sampler_is_saturated(sampler) ? "; its core was full, so the latencies are its own" : "");
    print_times(file, "  late by", &load.lateness);
    double bytes, descriptors;
    if (series_growth(&bytes, &descriptors))
        fprintf(file, "  %-12s%+.2f MB, %+.0f descriptors, from the first quarter of the time to the last\n", "growth",
                bytes / 1e6, descriptors);
}

static void print_life(FILE *file, const struct figures *figures) {
    fprintf(file, "  %-12sall in after %.2f s, all had the last positions after %.2f s\n", "ends",
            figures->join_seconds, figures->settle_seconds);
    if (life.leaves + life.drops)
        fprintf(file, "  %-12s%s left and came back, %s lost their connection, %s of them went on where they were\n",
                "life", grouped((double)life.leaves), grouped((double)life.drops), grouped((double)arrivals.resumes));
    if (arrivals.upgrades)
        fprintf(file, "  %-12s%s times from polling to a WebSocket\n", "upgraded", grouped((double)arrivals.upgrades));
}

void summary_print(FILE *file, const struct figures *figures) {
    uint64_t broken = proof_broken_count();
    fprintf(file, "%d room%s of %d, %d of whom move %g times a second, over %.1f s\n", options.rooms,
            options.rooms > 1 ? "s" : "", options.members, options.movers, options.hz, figures->sampler.seconds);
    print_touches(file, figures);
    print_cost(file, figures);
    print_life(file, figures);
    if (options.peer) fprintf(file, "  %-12s%s touches, %s of all else\n", "lost",
                              grouped((double)figures->missing), grouped((double)proof_lost_count()));
    else if (broken) fprintf(file, "  %-12s%s BROKEN\n", "promises", grouped((double)broken));
    else fprintf(file, "  %-12sall kept\n", "promises");
}
