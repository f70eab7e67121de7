// Where the figures of a run go.
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>

// Whether a person reads standard output.
bool output_wants_summary(void);
// Writes the files that are asked for, and the line for a program.
void output_write(const char *json);

#endif
