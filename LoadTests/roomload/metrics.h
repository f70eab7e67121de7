// What a server tells of itself at `/metrics`, for one that runs elsewhere or to see into one that runs here.
#ifndef METRICS_H
#define METRICS_H

#include <stdbool.h>

struct metrics {
    // Of its process: seconds of CPU, resident and allocated bytes, open descriptors.
    double cpu, resident, heap, descriptors;
    // Of its rooms in use: bytes of their logs, and how many elements they have.
    double log_bytes, elements;
    // Seconds that the slowest loop took to come to a job.
    double lag;
};

// Has a thread ask every second. Ends the program if there is nothing at the address.
void metrics_begin(void);
// As of now; what was there before if there is no answer. The server may take milliseconds.
void metrics_ask(void);
// As they were told last; all zero without `--metrics`.
struct metrics metrics_newest(void);

#endif
