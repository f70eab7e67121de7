#include "server.h"

#include "metrics.h"
#include "options.h"

bool server_is_known(void) { return options.pid_count || options.metrics; }

double server_cpu_seconds(void) {
    double sum = 0;
    for (int i = 0; i < options.pid_count; i++) sum += cpu_seconds(options.pids[i]);
    return options.pid_count ? sum : metrics_newest().cpu;
}

size_t server_resident_bytes(void) {
    size_t sum = 0;
    for (int i = 0; i < options.pid_count; i++) sum += resident_bytes(options.pids[i]);
    return options.pid_count ? sum : (size_t)metrics_newest().resident;
}

int server_descriptor_count(void) {
    int sum = 0;
    for (int i = 0; i < options.pid_count; i++) sum += descriptor_count(options.pids[i]);
    return options.pid_count ? sum : (int)metrics_newest().descriptors;
}
