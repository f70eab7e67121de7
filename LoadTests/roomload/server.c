#include "server.h"

#include "metrics.h"
#include "options.h"

bool server_is_known(void) { return options.pid || options.metrics; }

double server_cpu_seconds(void) { return options.pid ? cpu_seconds(options.pid) : metrics_newest().cpu; }

size_t server_resident_bytes(void) {
    return options.pid ? resident_bytes(options.pid) : (size_t)metrics_newest().resident;
}

int server_descriptor_count(void) {
    return options.pid ? descriptor_count(options.pid) : (int)metrics_newest().descriptors;
}
