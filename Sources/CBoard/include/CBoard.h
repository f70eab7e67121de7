#ifndef ROOMS_C_BOARD_H
#define ROOMS_C_BOARD_H

#include <stddef.h>

// A file of the page, as it lies in Sources/Board/page.
struct rooms_board_file {
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

// All of them, for as long as the process lives.
const struct rooms_board_file *rooms_board_files(size_t *count);

#endif
