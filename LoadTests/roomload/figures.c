#include "figures.h"

#include "ages.h"
#include "event.h"
#include "load.h"
#include "options.h"
#include "proof.h"

#include <stdio.h>

static void print_times(const char *name, const struct histogram *histogram) {
    printf(",\"%s\":{\"count\":%llu,\"p50us\":%u,\"p90us\":%u,\"p99us\":%u,\"p999us\":%u,\"maxus\":%u}", name,
           (unsigned long long)histogram->count, histogram_percentile(histogram, 0.5),
           histogram_percentile(histogram, 0.9), histogram_percentile(histogram, 0.99),
           histogram_percentile(histogram, 0.999), histogram->max);
}

static void print_count(const char *name, uint64_t count) { printf(",\"%s\":%llu", name, (unsigned long long)count); }

static void print_scenario(void) {
    printf("{\"mode\":\"%s\",\"rooms\":%d,\"members\":%d,\"movers\":%d,\"hz\":%g,\"burst\":%d,\"batch\":%s,"
           "\"tls\":%s,\"slow\":%d,\"elementRate\":%g",
           options.mode, options.rooms, options.members, options.movers, options.hz, options.burst,
           options.batch ? "true" : "false", options.link.tls ? "true" : "false", options.slow, options.element_rate);
}

static void print_cost(const struct sampler *sampler) {
    printf(",\"seconds\":%.4f,\"cpu\":%.4f,\"waited\":%.4f,\"generatorCPU\":%.4f,\"generatorWaited\":%.4f,"
           "\"saturated\":%s,\"rssBegin\":%zu,\"rssEnd\":%zu",
           sampler->seconds, sampler->server_cpu, sampler->server_waited, sampler->own_cpu, sampler->own_waited,
           sampler_is_saturated(sampler) ? "true" : "false", sampler->resident_begin, sampler->resident_end);
    printf(",\"rss\":[");
    for (unsigned i = 0; i < sampler->resident_count; i++) printf("%s%zu", i ? "," : "", sampler->resident[i]);
    printf("]");
}

static void print_proof(void) {
    print_count("broken", proof_broken_count());
    printf(",\"proof\":{\"older\":%llu", (unsigned long long)proof.older);
    print_count("foreign", proof.foreign);
    print_count("malformed", proof.malformed);
    print_count("disorder", proof.disorder);
    print_count("missingElements", proof.missing_elements);
    print_count("disagreeing", proof.disagreeing);
    print_count("missingFinals", proof.missing_finals);
    print_count("earlyEnds", proof.early_ends);
    print_count("missingEnds", proof.missing_ends);
    print_count("closed", proof.closed);
    print_count("lost", proof.lost);
    print_count("refused", proof.refused);
    printf("}");
}

void figures_print(const struct figures *figures, const struct sampler *sampler) {
    print_scenario();
    print_cost(sampler);
    print_count("sent", figures->sent);
    print_count("held", figures->held);
    // What was due, whether the generator came to it or not.
    double due = options.hz * options.burst * options.movers * options.rooms * sampler->seconds;
    print_count("due", (uint64_t)due);
    print_count("asked", (uint64_t)(due * (options.members - 1)));
    print_count("delivered", figures->touches + figures->slow_touches);
    print_count("deliveredSlow", figures->slow_touches);
    print_count("elementOperations", figures->element_operations);
    print_count("elementEvents", figures->element_events);
    print_times("touch", &arrivals.touch_times);
    print_times("age", &ages);
    print_times("element", &arrivals.element_times);
    print_times("lateness", &load.lateness);
    printf(",\"joinSeconds\":%.4f,\"settleSeconds\":%.4f", figures->join_seconds, figures->settle_seconds);
    print_proof();
    printf("}\n");
}

void figures_print_joined(const struct sampler *sampler) {
    print_scenario();
    print_cost(sampler);
    print_proof();
    printf("}\n");
    fflush(stdout);
}
