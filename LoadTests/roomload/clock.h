// Time in microseconds since a little before the first question, so that 0 is never.
#ifndef CLOCK_H
#define CLOCK_H

#include "../shared/link.h"

extern double clock_begin;

static inline uint32_t micros_of(double seconds) { return (uint32_t)((seconds - clock_begin) * 1e6); }

static inline uint32_t micros_now(void) { return micros_of(seconds_now()); }

#endif
