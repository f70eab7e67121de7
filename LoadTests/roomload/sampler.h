// What the server and the generator cost: CPU over a stretch of time, and the server's memory once a second.
#ifndef SAMPLER_H
#define SAMPLER_H

#include <stdbool.h>
#include <stddef.h>

struct sampler {
    double begin, seconds, server_cpu, own_cpu;
    // Seconds in which their threads were ready to run and had no core: how far other programs disturbed them.
    double server_waited, own_waited;
    size_t resident_begin, resident_end;
    size_t resident[3600];
    unsigned resident_count;
};

void sampler_begin(struct sampler *sampler);
// Answers whether a second has passed since the last time.
bool sampler_turn(struct sampler *sampler, double now);
void sampler_end(struct sampler *sampler);

// The generator had no time left: latencies are its own, and the load may be less than asked for.
bool sampler_is_saturated(const struct sampler *sampler);

#endif
