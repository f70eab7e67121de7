#include "sampler.h"

#include "options.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Summed over the process's threads; 0 where the kernel does not tell.
static double waited_seconds(int pid) {
    char path[64];
    double sum = 0;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *threads = pid ? opendir(path) : NULL;
    if (!threads) return 0;
    for (struct dirent *entry; (entry = readdir(threads));) {
        unsigned long long waited;
        snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, atoi(entry->d_name));
        FILE *file = atoi(entry->d_name) ? fopen(path, "r") : NULL;
        if (!file) continue;
        if (fscanf(file, "%*u %llu", &waited) == 1) sum += (double)waited / 1e9;
        fclose(file);
    }
    closedir(threads);
    return sum;
}

void sampler_begin(struct sampler *sampler) {
    *sampler = (struct sampler){.begin = seconds_now()};
    sampler->resident_begin = resident_bytes(options.pid);
    sampler->descriptors_begin = descriptor_count(options.pid);
    sampler->server_waited = -waited_seconds(options.pid);
    sampler->own_waited = -waited_seconds((int)getpid());
    sampler->server_cpu = -cpu_seconds(options.pid);
    sampler->own_cpu = -cpu_seconds((int)getpid());
}

void sampler_end(struct sampler *sampler) {
    sampler->server_cpu += cpu_seconds(options.pid);
    sampler->own_cpu += cpu_seconds((int)getpid());
    sampler->seconds = seconds_now() - sampler->begin;
    sampler->server_waited += waited_seconds(options.pid);
    sampler->own_waited += waited_seconds((int)getpid());
    sampler->resident_end = resident_bytes(options.pid);
    sampler->descriptors_end = descriptor_count(options.pid);
}

bool sampler_is_saturated(const struct sampler *sampler) {
    return sampler->own_cpu + sampler->own_waited > 0.95 * sampler->seconds;
}

bool sampler_is_disturbed(const struct sampler *sampler) {
    return sampler->server_waited + sampler->own_waited > 0.05 * sampler->seconds;
}
