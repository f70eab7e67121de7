#include "sampler.h"

#include "options.h"

#include <unistd.h>

void sampler_begin(struct sampler *sampler) {
    *sampler = (struct sampler){.begin = seconds_now()};
    sampler->resident_begin = resident_bytes(options.pid);
    sampler->server_cpu = -cpu_seconds(options.pid);
    sampler->own_cpu = -cpu_seconds((int)getpid());
}

bool sampler_turn(struct sampler *sampler, double now) {
    if (now < sampler->begin + sampler->resident_count + 1) return false;
    if (sampler->resident_count == sizeof sampler->resident / sizeof *sampler->resident) return false;
    sampler->resident[sampler->resident_count++] = resident_bytes(options.pid);
    return true;
}

void sampler_end(struct sampler *sampler) {
    sampler->server_cpu += cpu_seconds(options.pid);
    sampler->own_cpu += cpu_seconds((int)getpid());
    sampler->seconds = seconds_now() - sampler->begin;
    sampler->resident_end = resident_bytes(options.pid);
}

bool sampler_is_saturated(const struct sampler *sampler) { return sampler->own_cpu > 0.95 * sampler->seconds; }
