// The figures of a run as one line of JSON.
#ifndef FIGURES_H
#define FIGURES_H

#include "sampler.h"

#include <stdint.h>

// What came and what was due while it was measured.
struct figures {
    uint64_t touches, slow_touches, element_events, sent, held, element_operations;
    double join_seconds, settle_seconds;
};

void figures_print(const struct figures *figures, const struct sampler *sampler);
// Of a run without load.
void figures_print_joined(const struct sampler *sampler);

#endif
