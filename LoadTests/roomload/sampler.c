#include "sampler.h"

#include "metrics.h"
#include "options.h"
#include "server.h"

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

static double server_waited_seconds(void) {
    double sum = 0;
    for (int i = 0; i < options.pid_count; i++) sum += waited_seconds(options.pids[i]);
    return sum;
}

void sampler_begin(struct sampler *sampler) {
    metrics_ask();
    *sampler = (struct sampler){.begin = seconds_now()};
    sampler->resident_begin = server_resident_bytes();
    sampler->descriptors_begin = server_descriptor_count();
    sampler->server_waited = -server_waited_seconds();
    sampler->own_waited = -waited_seconds((int)getpid());
    sampler->server_cpu = -server_cpu_seconds();
    sampler->own_cpu = -cpu_seconds((int)getpid());
}

void sampler_end(struct sampler *sampler) {
    metrics_ask();
    sampler->server_cpu += server_cpu_seconds();
    sampler->own_cpu += cpu_seconds((int)getpid());
    sampler->seconds = seconds_now() - sampler->begin;
    sampler->server_waited += server_waited_seconds();
    sampler->own_waited += waited_seconds((int)getpid());
    sampler->resident_end = server_resident_bytes();
    sampler->descriptors_end = server_descriptor_count();
}

bool sampler_is_saturated(const struct sampler *sampler) {
    return sampler->own_cpu + sampler->own_waited > 0.95 * sampler->seconds;
}

bool sampler_is_disturbed(const struct sampler *sampler) {
    return sampler->server_waited + sampler->own_waited > 0.05 * sampler->seconds;
}
