#include "figures.h"

#include "ages.h"
#include "event.h"
#include "life.h"
#include "load.h"
#include "options.h"
#include "proof.h"
#include "series.h"

struct figures figures_since(struct figures before) {
    struct figures figures = before;
    figures.touches = arrivals.touches - before.touches;
    figures.slow_touches = arrivals.slow_touches - before.slow_touches;
    figures.element_events = arrivals.element_events - before.element_events;
    figures.frames = arrivals.frames - before.frames;
    figures.bytes = arrivals.bytes - before.bytes;
    figures.sent = load.touches - before.sent;
    figures.held = load.held_touches - before.held;
    figures.skipped = load.skipped_touches - before.skipped;
    figures.asked = load.asked - before.asked;
    figures.element_operations = load.element_operations - before.element_operations;
    return figures;
}

double figures_due(const struct figures *figures) {
    double due = options.hz * options.burst * options.movers * options.rooms * figures->sampler.seconds;
    return due - (double)figures->skipped;
}

double figures_asked(const struct figures *figures) {
    return (double)figures->asked + (figures_due(figures) - (double)figures->sent) * (options.view ? options.view : options.members - 1);
}

uint64_t figures_delivered(const struct figures *figures) { return figures->touches + figures->slow_touches; }

double figures_micros_per_frame(const struct figures *figures, double cpu) {
    return figures->frames ? cpu / (double)figures->frames * 1e6 : 0;
}

// MARK: JSON

static void print_times(FILE *file, const char *name, const struct histogram *histogram) {
    fprintf(file, ",\"%s\":{\"count\":%llu,\"p50us\":%u,\"p90us\":%u,\"p99us\":%u,\"p999us\":%u,\"maxus\":%u}", name,
            (unsigned long long)histogram->count, histogram_percentile(histogram, 0.5),
            histogram_percentile(histogram, 0.9), histogram_percentile(histogram, 0.99),
            histogram_percentile(histogram, 0.999), histogram->max);
}

static void print_count(FILE *file, const char *name, uint64_t count) {
    fprintf(file, ",\"%s\":%llu", name, (unsigned long long)count);
}

static const char *truth(bool value) { return value ? "true" : "false"; }

static void print_scenario(FILE *file) {
    fprintf(file,
            "{\"mode\":\"%s\",\"rooms\":%d,\"members\":%d,\"movers\":%d,\"hz\":%g,\"burst\":%d,\"batch\":%s,\"binary\":%s,\"view\":%d,"
            "\"tls\":%s,\"eio\":%d,\"polling\":%d,\"upgrade\":%d,\"slow\":%d,\"elementRate\":%g,\"stroke\":%g,\"think\":%g,"
            "\"leaves\":%g,\"drops\":%g,\"away\":%g,\"peer\":%s,\"soak\":%s",
            options.mode, options.rooms, options.members, options.movers, options.hz, options.burst,
            truth(options.batch), truth(options.binary), options.view, truth(options.link.tls), options.eio, options.polling, options.upgrade,
            options.slow,
            options.element_rate, options.stroke, options.think, options.leaves, options.drops, options.away,
            truth(options.peer), truth(options.soak));
}

static void print_cost(FILE *file, const struct sampler *sampler) {
    fprintf(file,
            ",\"seconds\":%.4f,\"cpu\":%.4f,\"waited\":%.4f,\"generatorCPU\":%.4f,\"generatorWaited\":%.4f,"
            "\"saturated\":%s,\"rssBegin\":%zu,\"rssEnd\":%zu,\"descriptorsBegin\":%d,\"descriptorsEnd\":%d",
            sampler->seconds, sampler->server_cpu, sampler->server_waited, sampler->own_cpu, sampler->own_waited,
            truth(sampler_is_saturated(sampler)), sampler->resident_begin, sampler->resident_end,
            sampler->descriptors_begin, sampler->descriptors_end);
}

static void print_growth(FILE *file) {
    double bytes, descriptors;
    if (series_growth(&bytes, &descriptors))
        fprintf(file, ",\"growth\":{\"rss\":%.0f,\"descriptors\":%.0f}", bytes, descriptors);
}

static void print_proof(FILE *file) {
    print_count(file, "broken", proof_broken_count());
    fprintf(file, ",\"proof\":{\"older\":%llu", (unsigned long long)proof.older);
    print_count(file, "foreign", proof.foreign);
    print_count(file, "malformed", proof.malformed);
    print_count(file, "disorder", proof.disorder);
    print_count(file, "missingElements", proof.missing_elements);
    print_count(file, "disagreeing", proof.disagreeing);
    print_count(file, "missingFinals", proof.missing_finals);
    print_count(file, "earlyEnds", proof.early_ends);
    print_count(file, "missingEnds", proof.missing_ends);
    print_count(file, "closed", proof.closed);
    print_count(file, "lost", proof.lost);
    print_count(file, "refused", proof.refused);
    print_count(file, "forgotten", proof.forgotten);
    fprintf(file, "}");
}

void figures_print(FILE *file, const struct figures *figures) {
    print_scenario(file);
    print_cost(file, &figures->sampler);
    print_count(file, "sent", figures->sent);
    print_count(file, "held", figures->held);
    print_count(file, "due", (uint64_t)figures_due(figures));
    print_count(file, "asked", (uint64_t)figures_asked(figures));
    print_count(file, "delivered", figures_delivered(figures));
    print_count(file, "deliveredSlow", figures->slow_touches);
    print_count(file, "elementOperations", figures->element_operations);
    print_count(file, "elementEvents", figures->element_events);
    print_count(file, "frames", figures->frames);
    print_count(file, "bytes", figures->bytes);
    fprintf(file, ",\"missing\":%lld,\"perFrameUs\":%.4f,\"generatorPerFrameUs\":%.4f", (long long)figures->missing,
            figures_micros_per_frame(figures, figures->sampler.server_cpu),
            figures_micros_per_frame(figures, figures->sampler.own_cpu));
    print_count(file, "left", life.leaves);
    print_count(file, "dropped", life.drops);
    print_count(file, "resumed", arrivals.resumes);
    print_count(file, "upgraded", arrivals.upgrades);
    print_times(file, "touch", &arrivals.touch_times);
    print_times(file, "age", &ages);
    print_times(file, "element", &arrivals.element_times);
    print_times(file, "lateness", &load.lateness);
    fprintf(file, ",\"joinSeconds\":%.4f,\"settleSeconds\":%.4f", figures->join_seconds, figures->settle_seconds);
    print_growth(file);
    series_print(file);
    print_proof(file);
}

void figures_print_joined(FILE *file, const struct sampler *sampler) {
    print_scenario(file);
    print_cost(file, sampler);
    print_proof(file);
}
