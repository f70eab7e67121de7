#ifndef ROOMS_C_CONSOLE_H
#define ROOMS_C_CONSOLE_H

#include <stddef.h>

// A file of the console, as it lies in Sources/Operations/page.
struct rooms_console_file {
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

// All of them, for as long as the process lives.
const struct rooms_console_file *rooms_console_files(size_t *count);

#endif
