#include "scenario.h"

#include "options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 512 };

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

void scenario_read(const char *path) {
    char line[LINE_MAX_BYTES];
    FILE *file = fopen(path, "r");
    if (!file) fail("%s cannot be read", path);
    for (int number = 1; fgets(line, sizeof line, file); number++) read_line(line, path, number);
    fclose(file);
}
