// What the run is: a value for each option, set by its name.
#ifndef OPTIONS_H
#define OPTIONS_H

#include "../shared/link.h"

#include <getopt.h>

// Faults that are planted into what comes, to see that they are found.
enum fault { FAULT_NONE, FAULT_LOST, FAULT_LATE, FAULT_STRAY };

// What `--find` changes from one try to the next.
enum varied { VARIED_LOAD, VARIED_ROOMS, VARIED_MEMBERS, VARIED_HZ };

struct options {
    const char *mode;
    struct link_settings link;
    // The server's process, or those of all nodes.
    int pids[8], pid_count;
    // So many rooms, each with so many members, of whom the first `movers` move.
    int rooms, members, movers;
    // The server is so many nodes, at ports one after another. The members of a room connect to one after another.
    int nodes;
    double hz;
    // Touches that a mover sends in one write, at `hz` writes a second.
    int burst;
    // A mover moves for so many seconds, then pauses for so many.
    double stroke, think;
    // Element operations per room and second.
    double element_rate;
    double warmup, seconds, settle;
    // Of so many members, spread over the rooms, each reads so many bytes a second.
    int slow;
    double slow_rate;
    // So many members, spread over the rooms, poll, and so many begin with that and change to a WebSocket; with which
    // protocol of Engine.IO everybody speaks.
    int polling, upgrade, eio;
    // Members who leave, and whose connection breaks, per second; after so many seconds they come back.
    double leaves, drops, away;
    // Of so many members in turn one has its touches timed; of the others they are counted.
    int timed_of;
    // Each member of a room sees so many others around it; 0: all.
    int view;
    // Connections that are being opened at any time.
    int at_once;
    unsigned seed;
    enum fault fault;
    bool batch, binary, paced, peer, soak, summary;
    // The highest load is sought at which p99 is below so many milliseconds; 0: no.
    double find;
    enum varied vary;
    double start; // of the load that the options say, what is tried first
    // Files to write; NULL for none.
    const char *json, *html;
    // Where the server tells of itself; NULL for nowhere.
    const char *metrics;
    // Tells this run's elements from those of runs before.
    unsigned run;
};

extern struct options options;

// Every option with its name without dashes; `--help` and `--scenario`, which are no values, are among them.
extern const struct option options_table[];

// A flag's value is NULL, or on or off. False if there is no such value.
bool options_set(const char *name, const char *value);
// Checks how they go together, and works out shares of members.
void options_settle(void);

static inline int clients(void) { return options.rooms * options.members; }

// The node of a member, by its place in its room.
static inline int node_of(uint32_t place) { return (int)(place % (unsigned)options.nodes); }

#endif
