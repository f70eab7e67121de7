// What members do while a run lasts: move and pause, make elements, read slowly. Then everybody stops.
#ifndef LOAD_H
#define LOAD_H

#include "histogram.h"

#include <stdint.h>

struct load {
    // Touches whose time came, and of them those that a connection took no more because the server does not read. Those of
    // movers who pause or are away are not among them.
    uint64_t touches, held_touches, skipped_touches, element_operations;
    // Once for each other member who was there: of all that came due, and of those that were sent.
    uint64_t asked, expected;
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
