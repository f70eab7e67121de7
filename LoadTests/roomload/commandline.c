#include "commandline.h"

#include "options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 512 };

static const char usage[] =
    "roomload run|storm|idle [options]\n"
    "\n"
    "  run     members of rooms move and make elements; every delivery is checked\n"
    "  storm   all connect and join at once\n"
    "  idle    all connect, join and stay silent\n"
    "\n"
    "Where\n"
    "  --port N --host A.B.C.D --tls     the server\n"
    "  --pid N[,N…]                      its processes, to tell their CPU time, memory and descriptors\n"
    "  --nodes N                         it is so many nodes, at ports from --port on: the members of a room spread\n"
    "                                    over them\n"
    "  --metrics URL                     where it tells that and more, as http://127.0.0.1:9464/metrics\n"
    "  --sources N                       connect from so many loopback addresses (4)\n"
    "  --at-once N                       connections that are being opened at a time (256)\n"
    "\n"
    "Who, and what they do; a share is a number of members or per cent, as 12%\n"
    "  --scenario FILE                   options from a file, a line each: name = value\n"
    "  --rooms N --members N             so many rooms of so many members each\n"
    "  --movers SHARE                    members of a room that move (all)\n"
    "  --hz N                            touches of a mover per second (60)\n"
    "  --stroke S --think S              a mover moves so long, then pauses so long (always moves)\n"
    "  --burst N                         send N touches in each write, at --hz writes per second (1)\n"
    "  --element-rate N                  element operations per room and second (0)\n"
    "  --slow SHARE --slow-rate BYTES    clients that read so many bytes a second (0, 1000)\n"
    "  --polling SHARE                   clients that poll instead of using a WebSocket (0)\n"
    "  --upgrade SHARE                   clients that begin with polling and upgrade, as stock clients do (0)\n"
    "  --leaves N --drops N              members per second that leave, or lose their connection (0, 0)\n"
    "  --away S                          after so long they come back (2); dropped ones continue where they were\n"
    "  --eio 3|4                         the protocol of Engine.IO (4)\n"
    "  --batch                           ask for touch:batch\n"
    "  --binary                          ask for binary ticks\n"
    "  --view N                          each member of a room sees about so many others around it (with --binary)\n"
    "  --paced                           send once for each tick of the room, as clients with binary ticks do\n"
    "\n"
    "How long, and how it is measured\n"
    "  --warmup S --seconds S            not measured, measured (1, 5)\n"
    "  --soak MINUTES                    measured for so long, and looked at for what grows\n"
    "  --settle S                        how long the last positions may take in the end (10)\n"
    "  --find MS [--vary WHAT]           the highest load without loss and with p99 below so many milliseconds; WHAT is\n"
    "                                    load (rooms, or Hz where one room is too much), rooms, members or hz\n"
    "  --start FACTOR                    of the load above, the first that is tried (1)\n"
    "  --timed-of N                      time and check the touches of one member in N, count those of the others (1)\n"
    "  --peer                            another server: what it loses is counted, and it promises nothing\n"
    "  --fault lost|late|stray           plant faults into what comes; the run must then fail\n"
    "  --seed N                          of all that is chance (1)\n"
    "\n"
    "What comes of it: a table on a terminal, else a line of JSON\n"
    "  --summary                         the table in any case\n"
    "  --json FILE --html FILE           the figures, and a page with charts\n"
    "\n"
    "Ends with 2 if a promise was broken.\n";

// MARK: Scenarios

static char *trimmed(char *text) {
    while (isspace((unsigned char)*text)) text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) *--end = 0;
    return text;
}

static void read_line(char *line, const char *path, int number) {
    char *comment = strchr(line, '#');
    if (comment) *comment = 0;
    line = trimmed(line);
    if (!*line) return;
    char *value = strchr(line, '=');
    if (value) *value++ = 0;
    const char *name = trimmed(line);
    // A scenario says what happens; where, and what is written, is said on the command line.
    static const char *const outside[] = {"scenario", "json", "html", "host"};
    for (unsigned i = 0; i < sizeof outside / sizeof *outside; i++)
        if (!strcmp(name, outside[i])) fail("%s:%d: %s is for the command line", path, number, name);
    if (!options_set(name, value ? trimmed(value) : NULL)) fail("%s:%d: there is no option '%s'", path, number, name);
}

// A line each: `name = value`, or a flag's name alone; a comment begins with #. The last value of an option counts.
static void read_scenario(const char *path) {
    char line[LINE_MAX_BYTES];
    FILE *file = fopen(path, "r");
    if (!file) fail("%s cannot be read", path);
    for (int number = 1; fgets(line, sizeof line, file); number++) read_line(line, path, number);
    fclose(file);
}

// MARK: The command line

void commandline_read(int count, char **arguments) {
    for (int option, index; (option = getopt_long(count, arguments, "", options_table, &index)) != -1;) {
        if (option == 'H') {
            fputs(usage, stdout);
            exit(0);
        }
        if (option == '?') {
            fputs(usage, stderr);
            exit(64);
        }
        if (option == 'c') read_scenario(optarg);
        else options_set(options_table[index].name, optarg);
    }
    if (optind != count - 1) {
        fputs(usage, stderr);
        exit(64);
    }
    options.mode = arguments[optind];
    options.run = (unsigned)getpid();
    options_settle();
}
