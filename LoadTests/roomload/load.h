// What members do while a run lasts: move, make elements, read slowly. Then everybody stops.
#ifndef LOAD_H
#define LOAD_H

#include "histogram.h"

#include <stdint.h>

struct load {
    // Touches whose time came, and of them those that a connection took no more because the server does not read.
    uint64_t touches, held_touches, element_operations;
    // By how much later than meant they were sent.
    struct histogram lateness;
};

extern struct load load;

void load_begin(void);

// Does what is due, and answers in how many seconds something is again.
double load_turn(void);

// Everybody sends a last position, and its end; who read slowly does no more.
void load_stop(void);

#endif
