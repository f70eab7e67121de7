#include "output.h"

#include "options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The page, into which the figures are put.
__asm__(".section .rodata\n"
        "page: .incbin \"page.html\"\n"
        "page_end: .byte 0\n"
        ".previous\n");
extern const char page[], page_end[];

bool output_wants_summary(void) { return options.summary || isatty(STDOUT_FILENO); }

static FILE *opened(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) fail("%s cannot be written", path);
    return file;
}

static void write_page(const char *json) {
    static const char mark[] = "{\"figures\":0}";
    const char *place = strstr(page, mark);
    FILE *file = opened(options.html);
    fwrite(page, 1, (size_t)(place - page), file);
    fputs(json, file);
    fputs(place + sizeof mark - 1, file);
    fclose(file);
}

void output_write(const char *json) {
    if (options.json) {
        FILE *file = opened(options.json);
        fprintf(file, "%s\n", json);
        fclose(file);
    }
    if (options.html) write_page(json);
    if (!output_wants_summary()) puts(json);
    fflush(stdout);
}
