// What a run found.
#ifndef FIGURES_H
#define FIGURES_H

#include "sampler.h"

#include <stdint.h>
#include <stdio.h>

struct figures {
    // Counters, and in the end what was added to them while it was measured.
    uint64_t touches, slow_touches, element_events, frames, bytes, sent, held, skipped, asked, element_operations;
    double join_seconds, settle_seconds;
    // Of the whole run: touches that were sent and did not come, one for each member who was there.
    int64_t missing;
    struct sampler sampler;
};

// The counters as they stand, less what they were.
struct figures figures_since(struct figures before);
// Touches that were due by the clock, whether the generator came to them or not, and one for each member who was there.
double figures_due(const struct figures *figures);
double figures_asked(const struct figures *figures);
uint64_t figures_delivered(const struct figures *figures);
// Microseconds of so many seconds of CPU for each packet that members got.
double figures_micros_per_frame(const struct figures *figures, double cpu);

// As one line of JSON, without its end.
void figures_print(FILE *file, const struct figures *figures);
// Of a run without load.
void figures_print_joined(FILE *file, const struct sampler *sampler);
// A table for a person.
void summary_print(FILE *file, const struct figures *figures);

#endif
