// What the run is, as the command line said it.
#ifndef OPTIONS_H
#define OPTIONS_H

#include "../shared/link.h"
#include "fault.h"

struct options {
    const char *mode;
    struct link_settings link;
    int pid;
    // So many rooms, each with so many members, of whom the first `movers` move.
    int rooms, members, movers;
    double hz;
    // Touches that a mover sends in one write, at `hz` writes a second.
    int burst;
    // Element operations per room and second.
    double element_rate;
    double warmup, seconds, settle;
    // Of so many members, spread over the rooms, each reads so many bytes a second.
    int slow;
    double slow_rate;
    // Of so many members in turn one has its touches timed; of the others they are counted.
    int timed_of;
    // Connections that are being opened at any time.
    int at_once;
    unsigned seed;
    enum fault fault;
    bool batch, lenient;
};

extern struct options options;

void options_read(int count, char **arguments);

static inline int clients(void) { return options.rooms * options.members; }

#endif
