// A load of rooms from one thread: participants who move and make elements, each touch timed from when it was meant to be
// sent, and everything that comes held against what the server promises.
#include "commandline.h"
#include "find.h"
#include "options.h"
#include "output.h"
#include "run.h"
#include "touch.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

// Every member has a descriptor, or two.
static void raise_limits(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int run_once(void) {
    struct figures figures;
    char *text;
    size_t count;
    int status = run(&figures);
    FILE *file = open_memstream(&text, &count);
    figures_print(file, &figures);
    fputc('}', file);
    fclose(file);
    if (output_wants_summary()) summary_print(stdout, &figures);
    output_write(text);
    return status;
}

int main(int count, char **arguments) {
    commandline_read(count, arguments);
    if (clients() > CLIENTS_MAX) fail("at most %d clients", CLIENTS_MAX);
    raise_limits();
    if (!strcmp(options.mode, "storm") || !strcmp(options.mode, "idle")) return run_of_joins();
    if (strcmp(options.mode, "run")) fail("there is no mode '%s'", options.mode);
    return options.find > 0 ? find() : run_once();
}
