#include "series.h"

#include "../shared/link.h"
#include "event.h"
#include "load.h"
#include "member.h"
#include "options.h"
#include "proof.h"
#include "server.h"

#include <stdlib.h>
#include <unistd.h>

enum { SAMPLES_MAX = 1200, GROWTH_MIN = 40 };

static struct sample samples[SAMPLES_MAX], newest, before;
static unsigned sample_count, merged = 1, gathered;
static struct histogram then;
static double begun, turned;

// Counters as they stand, to be told from those of a second ago.
static struct sample counters(void) {
    return (struct sample){
        .cpu = server_cpu_seconds(), .own_cpu = cpu_seconds((int)getpid()), .sent = load.touches,
        .delivered = arrivals.touches + arrivals.slow_touches};
}

void series_begin(double now) {
    begun = turned = now;
    before = counters();
    then = arrivals.touch_times;
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void add(struct sample *to, const struct sample *more) {
    struct sample sum = *more;
    sum.seconds += to->seconds;
    sum.cpu += to->cpu;
    sum.own_cpu += to->own_cpu;
    sum.sent += to->sent;
    sum.delivered += to->delivered;
    // Of latencies over a longer step the worse one is told.
    sum.p50 = later(to->p50, more->p50);
    sum.p99 = later(to->p99, more->p99);
    *to = sum;
}

static void halve(void) {
    for (unsigned i = 0; i < SAMPLES_MAX / 2; i++) {
        samples[i] = samples[2 * i];
        add(&samples[i], &samples[2 * i + 1]);
    }
    sample_count = SAMPLES_MAX / 2;
    merged *= 2;
}

static void keep(void) {
    if (gathered == 0 && sample_count == SAMPLES_MAX) halve();
    if (gathered == 0) samples[sample_count++] = newest;
    else add(&samples[sample_count - 1], &newest);
    gathered = (gathered + 1) % merged;
}

static const struct sample *look(double now) {
    struct sample here = counters();
    struct histogram times = arrivals.touch_times;
    for (int i = 0; i < HISTOGRAM_BUCKETS; i++) times.buckets[i] -= then.buckets[i];
    times.count -= then.count;
    newest = (struct sample){
        .at = now - begun, .seconds = now - turned, .cpu = here.cpu - before.cpu, .own_cpu = here.own_cpu - before.own_cpu,
        .sent = here.sent - before.sent, .delivered = here.delivered - before.delivered,
        .resident = server_resident_bytes(), .descriptors = server_descriptor_count(), .joined = joined_count,
        .told = metrics_newest(),
        .p50 = histogram_percentile(&times, 0.5), .p99 = histogram_percentile(&times, 0.99),
        .broken = proof_broken_count()};
    keep();
    before = here;
    then = arrivals.touch_times;
    turned = now;
    return &newest;
}

const struct sample *series_turn(double now) { return now < turned + 1 ? NULL : look(now); }

void series_end(double now) {
    if (now > turned + 0.5) look(now);
}

// MARK: What comes of it

#define PRINT(file, name, form, value) \
    do { \
        fprintf(file, "%s\"" name "\":[", *name == 'a' ? "" : ","); \
        for (unsigned i = 0; i < sample_count; i++) { \
            const struct sample *sample = &samples[i]; \
            fprintf(file, "%s" form, i ? "," : "", value); \
        } \
        fputc(']', file); \
    } while (0)

void series_print(FILE *file) {
    fputs(",\"series\":{", file);
    PRINT(file, "at", "%.1f", sample->at);
    PRINT(file, "cpu", "%.3f", sample->cpu / sample->seconds);
    PRINT(file, "generatorCPU", "%.3f", sample->own_cpu / sample->seconds);
    PRINT(file, "rss", "%zu", sample->resident);
    PRINT(file, "descriptors", "%d", sample->descriptors);
    if (options.metrics) {
        PRINT(file, "heap", "%.0f", sample->told.heap);
        PRINT(file, "logBytes", "%.0f", sample->told.log_bytes);
        PRINT(file, "elements", "%.0f", sample->told.elements);
        PRINT(file, "loopLag", "%.6f", sample->told.lag);
    }
    PRINT(file, "sent", "%.0f", (double)sample->sent / sample->seconds);
    PRINT(file, "delivered", "%.0f", (double)sample->delivered / sample->seconds);
    PRINT(file, "p50us", "%u", sample->p50);
    PRINT(file, "p99us", "%u", sample->p99);
    PRINT(file, "joined", "%d", sample->joined);
    PRINT(file, "broken", "%llu", (unsigned long long)sample->broken);
    fputc('}', file);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_growth(bool of_descriptors) {
    static double values[2][SAMPLES_MAX / 4 + 1];
    unsigned count = sample_count / 4;
    for (unsigned i = 0; i < count; i++) {
        const struct sample *pair[2] = {&samples[i], &samples[sample_count - count + i]};
        for (int j = 0; j < 2; j++) values[j][i] = of_descriptors ? pair[j]->descriptors : (double)pair[j]->resident;
    }
    for (int j = 0; j < 2; j++) qsort(values[j], count, sizeof **values, compare);
    return values[1][count / 2] - values[0][count / 2];
}

bool series_growth(double *bytes, double *descriptors) {
    if (sample_count < GROWTH_MIN || !server_is_known()) return false;
    *bytes = median_growth(false);
    *descriptors = median_growth(true);
    return true;
}
