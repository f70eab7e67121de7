#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options options = {
    .link = {.host = "127.0.0.1", .port = 8080, .sources = 4},
    .rooms = 1, .members = 10, .movers = -1, .hz = 60, .burst = 1, .warmup = 1, .seconds = 5, .settle = 10,
    .slow_rate = 1000, .timed_of = 1, .at_once = 256, .seed = 1,
};

static const struct option names[] = {
    {"host", 1, 0, 'h'},       {"port", 1, 0, 'p'},     {"tls", 0, 0, 't'},      {"sources", 1, 0, 'f'},
    {"pid", 1, 0, 'i'},        {"rooms", 1, 0, 'r'},    {"members", 1, 0, 'm'},  {"movers", 1, 0, 'v'},
    {"hz", 1, 0, 'z'},         {"burst", 1, 0, 'u'},    {"batch", 0, 0, 'b'},    {"element-rate", 1, 0, 'e'},
    {"warmup", 1, 0, 'w'},     {"seconds", 1, 0, 'd'},  {"settle", 1, 0, 'x'},   {"slow", 1, 0, 's'},
    {"slow-rate", 1, 0, 'R'},  {"timed-of", 1, 0, 'o'}, {"at-once", 1, 0, 'a'},  {"seed", 1, 0, 'S'},
    {"lenient", 0, 0, 'l'},    {"fault", 1, 0, 'F'},    {"help", 0, 0, 'H'},     {0, 0, 0, 0},
};

static const char usage[] =
    "roomload run|storm|idle [options]\n"
    "\n"
    "  run     members of rooms move and make elements; every delivery is checked\n"
    "  storm   all connect and join at once\n"
    "  idle    all connect, join and stay silent\n"
    "\n"
    "  --port N --host A.B.C.D --tls     the server\n"
    "  --pid N                           its process, to tell its CPU time and memory\n"
    "  --rooms N --members N             so many rooms of so many members each\n"
    "  --movers N                        members of a room who move (all)\n"
    "  --hz N                            touches of a mover per second (60)\n"
    "  --burst N                         send N touches in each write, at --hz writes per second (1)\n"
    "  --batch                           ask for touch:batch\n"
    "  --element-rate N                  element operations per room and second (0)\n"
    "  --slow N --slow-rate BYTES        N members read so many bytes a second (0, 1000)\n"
    "  --warmup S --seconds S            not measured, measured (1, 5)\n"
    "  --settle S                        how long the last positions may take in the end (10)\n"
    "  --timed-of N                      time and check the touches of one member in N, count those of the others (1)\n"
    "  --at-once N                       connections that are being opened at a time (256)\n"
    "  --sources N                       connect from so many loopback addresses (4)\n"
    "  --lenient                         the server promises nothing: what is broken is only counted\n"
    "  --fault lost|late|stray           plant faults into what comes; the run must then fail\n"
    "  --seed N                          of the members' phases (1)\n"
    "\n"
    "Prints one line of JSON. Ends with 2 if a promise was broken.\n";

static void check(void) {
    if (options.movers < 0 || options.movers > options.members) options.movers = options.members;
    if (options.rooms < 1 || options.members < 1 || options.hz <= 0 || options.burst < 1 || options.timed_of < 1 ||
        options.at_once < 1 || options.link.sources < 1 || options.seconds <= 0)
        fail("numbers are positive");
    if (options.burst > 64) fail("at most 64 touches go in one write");
    if (options.slow >= clients()) fail("somebody must read at full speed");
    if (options.warmup + options.seconds > 3600) fail("an hour is the longest run");
}

void options_read(int count, char **arguments) {
    for (int option; (option = getopt_long(count, arguments, "", names, NULL)) != -1;) {
        switch (option) {
        case 'h': options.link.host = optarg; break;
        case 'p': options.link.port = atoi(optarg); break;
        case 't': options.link.tls = true; break;
        case 'f': options.link.sources = atoi(optarg); break;
        case 'i': options.pid = atoi(optarg); break;
        case 'r': options.rooms = atoi(optarg); break;
        case 'm': options.members = atoi(optarg); break;
        case 'v': options.movers = atoi(optarg); break;
        case 'z': options.hz = atof(optarg); break;
        case 'u': options.burst = atoi(optarg); break;
        case 'b': options.batch = true; break;
        case 'e': options.element_rate = atof(optarg); break;
        case 'w': options.warmup = atof(optarg); break;
        case 'd': options.seconds = atof(optarg); break;
        case 'x': options.settle = atof(optarg); break;
        case 's': options.slow = atoi(optarg); break;
        case 'R': options.slow_rate = atof(optarg); break;
        case 'o': options.timed_of = atoi(optarg); break;
        case 'a': options.at_once = atoi(optarg); break;
        case 'S': options.seed = (unsigned)atoi(optarg); break;
        case 'F': options.fault = fault_named(optarg); break;
        case 'l': options.lenient = true; break;
        case 'H': fputs(usage, stdout); exit(0);
        default: fputs(usage, stderr); exit(64);
        }
    }
    if (optind != count - 1) {
        fputs(usage, stderr);
        exit(64);
    }
    options.mode = arguments[optind];
    check();
}
