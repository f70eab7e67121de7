// What a run was like from second to second. A long one has fewer, longer steps: no more are kept than fit a chart.
#ifndef SERIES_H
#define SERIES_H

#include "metrics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sample {
    // Since it began to be measured, and how long the step was.
    double at, seconds;
    // CPU seconds of the server and of the generator in it.
    double cpu, own_cpu;
    size_t resident;
    int descriptors;
    // Touches in it, and their latencies in microseconds.
    uint64_t sent, delivered;
    uint32_t p50, p99;
    // What the server told, with `--metrics`.
    struct metrics told;
    // Members in their rooms at its end, promises broken until then.
    int joined;
    uint64_t broken;
};

void series_begin(double now);
// The newest sample, once a second has passed since the last one; else NULL.
const struct sample *series_turn(double now);
// What is left since then, if it is enough to tell something.
void series_end(double now);
void series_print(FILE *file);
// What grew: of the server's memory and descriptors, from the first quarter's median to that of the last. False if the run
// was too short to tell.
bool series_growth(double *bytes, double *descriptors);

#endif
