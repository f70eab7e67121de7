// What the server and the generator cost over a stretch of time.
#ifndef SAMPLER_H
#define SAMPLER_H

#include <stdbool.h>
#include <stddef.h>

struct sampler {
    double begin, seconds, server_cpu, own_cpu;
    // Seconds in which their threads were ready to run and had no core: how far other programs disturbed them.
    double server_waited, own_waited;
    size_t resident_begin, resident_end;
    int descriptors_begin, descriptors_end;
};

void sampler_begin(struct sampler *sampler);
void sampler_end(struct sampler *sampler);

// The generator had no time left: latencies are its own, and the load may be less than asked for.
bool sampler_is_saturated(const struct sampler *sampler);

// Other programs took more of the cores than one can overlook.
bool sampler_is_disturbed(const struct sampler *sampler);

#endif
