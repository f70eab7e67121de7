#ifndef ROOMS_C_SPAWN_H
#define ROOMS_C_SPAWN_H

#include <stddef.h>
#include <sys/types.h>

// A pipe whose ends no other process inherits. 0, or an error number.
int rooms_pipe(int ends[2]);

// Starts a program in a process group of its own, with an empty environment, no signal blocked or ignored, and no open
// files but these: each descriptor as the number beside it, and nothing as number 2. Answers the process, or an error
// number below zero.
pid_t rooms_spawn(
    const char *executable, char *const arguments[], const int *descriptors, const int *numbers, size_t count);

// Starts a program that goes on with what this process has: its output and its process group, and as numbers 3, 4 and so
// on the descriptors, but no other open file. Its path is looked for as a shell would. Answers as rooms_spawn does.
pid_t rooms_spawn_successor(
    const char *executable, char *const arguments[], char *const environment[], const int *descriptors, size_t count);

// Appends what is left of one file to another, as far as the system copies it at a time, and answers how much that was: 0 at the
// end, a negative code of an error.
ssize_t rooms_copy_some(int from, int to);

#endif
