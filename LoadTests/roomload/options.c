#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options options = {
    .link = {.host = "127.0.0.1", .port = 8080, .sources = 4},
    .nodes = 1,
    .rooms = 1, .members = 10, .hz = 60, .burst = 1, .stroke = 1, .warmup = 1, .seconds = 5, .settle = 10,
    .slow_rate = 1000, .eio = 4, .away = 2, .timed_of = 1, .at_once = 256, .seed = 1, .start = 1,
};

// A number of members, or per cent of them, which is known once all options are.
static struct share {
    double amount;
    bool is_percent;
} movers = {100, true}, slow, polling, upgrade;

const struct option options_table[] = {
    {"host", 1, 0, 'h'},        {"port", 1, 0, 'p'},        {"tls", 0, 0, 't'},         {"sources", 1, 0, 'f'},
    {"pid", 1, 0, 'i'},         {"rooms", 1, 0, 'r'},       {"members", 1, 0, 'm'},     {"movers", 1, 0, 'v'},
    {"hz", 1, 0, 'z'},          {"burst", 1, 0, 'u'},       {"batch", 0, 0, 'b'},       {"element-rate", 1, 0, 'e'},
    {"warmup", 1, 0, 'w'},      {"seconds", 1, 0, 'd'},     {"settle", 1, 0, 'x'},      {"slow", 1, 0, 's'},
    {"slow-rate", 1, 0, 'R'},   {"timed-of", 1, 0, 'o'},    {"at-once", 1, 0, 'a'},     {"seed", 1, 0, 'S'},
    {"peer", 0, 0, 'P'},        {"fault", 1, 0, 'F'},       {"stroke", 1, 0, 'k'},      {"think", 1, 0, 'K'},
    {"polling", 1, 0, 'l'},     {"eio", 1, 0, 'E'},         {"leaves", 1, 0, 'L'},      {"drops", 1, 0, 'D'},
    {"away", 1, 0, 'A'},        {"soak", 1, 0, 'O'},        {"find", 1, 0, 'n'},        {"vary", 1, 0, 'V'},
    {"start", 1, 0, 'B'},       {"json", 1, 0, 'j'},        {"html", 1, 0, 'q'},        {"summary", 0, 0, 'Y'},
    {"scenario", 1, 0, 'c'},    {"upgrade", 1, 0, 'g'},     {"metrics", 1, 0, 'M'},
    {"binary", 0, 0, 'y'},      {"paced", 0, 0, 'Q'},       {"nodes", 1, 0, 'N'},       {"view", 1, 0, 'W'},
    {"help", 0, 0, 'H'},        {0, 0, 0, 0},
};

static double number(const char *name, const char *value) {
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end || number < 0) fail("--%s is no number: %s", name, value);
    return number;
}

static struct share share(const char *name, const char *value) {
    size_t count = strlen(value);
    char digits[32];
    struct share share = {.is_percent = count && value[count - 1] == '%'};
    snprintf(digits, sizeof digits, "%.*s", (int)(count - share.is_percent), value);
    share.amount = number(name, digits);
    return share;
}

static int resolved(struct share share, int all) {
    double count = share.is_percent ? share.amount * all / 100 + 0.5 : share.amount;
    return count < all ? (int)count : all;
}

static enum varied varied(const char *name) {
    if (!strcmp(name, "load")) return VARIED_LOAD;
    if (!strcmp(name, "rooms")) return VARIED_ROOMS;
    if (!strcmp(name, "members")) return VARIED_MEMBERS;
    if (!strcmp(name, "hz")) return VARIED_HZ;
    fail("--vary is load, rooms, members or hz, not %s", name);
}

static enum fault fault(const char *name) {
    if (!strcmp(name, "lost")) return FAULT_LOST;
    if (!strcmp(name, "late")) return FAULT_LATE;
    if (!strcmp(name, "stray")) return FAULT_STRAY;
    fail("there is no fault '%s'; there are lost, late and stray", name);
}

// Numbers with commas between them.
static void set_pids(const char *name, const char *value) {
    char *rest = strdup(value);
    options.pid_count = 0;
    for (char *word = strtok(rest, ","); word; word = strtok(NULL, ",")) {
        if (options.pid_count == sizeof options.pids / sizeof *options.pids) fail("%s has too many numbers", name);
        options.pids[options.pid_count++] = (int)number(name, word);
    }
    free(rest);
}

static void set(const char *name, int option, const char *value) {
    switch (option) {
    case 'h': options.link.host = value; break;
    case 'j': options.json = value; break;
    case 'M': options.metrics = value; break;
    case 'q': options.html = value; break;
    case 'F': options.fault = fault(value); break;
    case 'V': options.vary = varied(value); break;
    case 'v': movers = share(name, value); break;
    case 's': slow = share(name, value); break;
    case 'l': polling = share(name, value); break;
    case 'g': upgrade = share(name, value); break;
    case 't': options.link.tls = value; break;
    case 'b': options.batch = value; break;
    case 'y': options.binary = value; break;
    case 'Q': options.paced = value; break;
    case 'P': options.peer = value; break;
    case 'Y': options.summary = value; break;
    case 'p': options.link.port = (int)number(name, value); break;
    case 'f': options.link.sources = (int)number(name, value); break;
    case 'i': set_pids(name, value); break;
    case 'N': options.nodes = (int)number(name, value); break;
    case 'r': options.rooms = (int)number(name, value); break;
    case 'm': options.members = (int)number(name, value); break;
    case 'z': options.hz = number(name, value); break;
    case 'u': options.burst = (int)number(name, value); break;
    case 'k': options.stroke = number(name, value); break;
    case 'K': options.think = number(name, value); break;
    case 'e': options.element_rate = number(name, value); break;
    case 'w': options.warmup = number(name, value); break;
    case 'd': options.seconds = number(name, value); break;
    case 'x': options.settle = number(name, value); break;
    case 'R': options.slow_rate = number(name, value); break;
    case 'E': options.eio = (int)number(name, value); break;
    case 'L': options.leaves = number(name, value); break;
    case 'D': options.drops = number(name, value); break;
    case 'A': options.away = number(name, value); break;
    case 'o': options.timed_of = (int)number(name, value); break;
    case 'a': options.at_once = (int)number(name, value); break;
    case 'S': options.seed = (unsigned)number(name, value); break;
    case 'n': options.find = number(name, value); break;
    case 'W': options.view = (int)number(name, value); break;
    case 'B': options.start = number(name, value); break;
    case 'O':
        options.soak = true;
        options.seconds = 60 * number(name, value);
    }
}

bool options_set(const char *name, const char *value) {
    for (const struct option *each = options_table; each->name; each++) {
        if (strcmp(each->name, name) || each->val == 'H' || each->val == 'c') continue;
        bool is_off = !each->has_arg && value && !strcmp(value, "off");
        if (each->has_arg ? !value : value && !is_off && strcmp(value, "on")) fail("%s has a wrong value", name);
        set(name, each->val, each->has_arg ? value : is_off ? NULL : "on");
        return true;
    }
    return false;
}

void options_settle(void) {
    if (options.rooms < 1 || options.members < 1 || options.hz <= 0 || options.burst < 1 || options.timed_of < 1 ||
        options.at_once < 1 || options.link.sources < 1 || options.nodes < 1 || options.seconds <= 0)
        fail("numbers are positive");
    options.movers = resolved(movers, options.members);
    options.slow = resolved(slow, clients());
    options.polling = resolved(polling, clients());
    options.upgrade = resolved(upgrade, clients());
    if (options.burst > 64) fail("at most 64 touches go in one write");
    if (options.polling + options.upgrade > clients()) fail("more than all begin by polling");
    if (options.slow >= clients()) fail("some clients must read at full speed");
    if (options.warmup + options.seconds > 3600) fail("an hour is the longest run");
    if (options.think > 0 && options.stroke <= 0) fail("a stroke lasts for some time");
    if (options.eio != 3 && options.eio != 4) fail("--eio is 3 or 4");
    if (options.eio == 3 && options.batch) fail("protocol 3 cannot ask for batches");
    if (options.binary && (options.batch || options.peer)) fail("--binary is of ours, and in place of --batch");
    if (options.binary && options.fault > FAULT_LOST) fail("of binary ticks only --fault lost is planted");
    if (options.paced && (!options.binary || options.find > 0)) fail("--paced is of --binary, without --find");
    if (options.view && (!options.binary || options.peer || options.think > 0 || options.leaves > 0 || options.drops > 0))
        fail("--view is of --binary, and of members who stay and move");
    if (options.view && options.warmup + options.seconds > 60) fail("a minute is the longest run with --view");
    if (options.start <= 0) fail("--start is a part of the load");
    if (options.find > 0 && (options.soak || strcmp(options.mode, "run"))) fail("--find is for short runs");
}
