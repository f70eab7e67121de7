// Options from a file.
#ifndef SCENARIO_H
#define SCENARIO_H

// A line each: `name = value`, or a flag's name alone; behind a # stands what it is for. What is said later counts.
void scenario_read(const char *path);

#endif
