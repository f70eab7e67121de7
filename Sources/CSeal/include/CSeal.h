#ifndef ROOMS_C_SEAL_H
#define ROOMS_C_SEAL_H

#include <stdbool.h>
#include <stddef.h>

// What a file may cost this process. Zero leaves a bound as it is.
struct rooms_process_limits {
    long cpu_seconds;
    long memory_bytes;
    long file_bytes;
};

// To be called first: bounds on time, memory and the size of what is written, no core dump, no way to gain privileges.
// The bound on memory is left out under a sanitizer, which reserves terabytes of addresses.
void rooms_limit_process(const struct rooms_process_limits *limits);

// To be called when all files are open and all libraries loaded: from then on the process may compute, read and write
// what it has open, start threads and end. Opening files, sockets and other processes is refused. False when the process
// is not sealed: the kernel or a filter around the server refuses that, or there is no filter for this processor.
bool rooms_seal_process(void);

#endif
