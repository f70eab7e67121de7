// How old the newest position is that a member has of a mover, looked at now and then: a server that falls silent shows
// here, and not in the latencies of what comes.
#ifndef AGES_H
#define AGES_H

#include "histogram.h"

#define AGES_SECONDS 0.2

extern struct histogram ages;

void ages_begin(double now);
// Looks if it is time to.
void ages_turn(double now);

#endif
