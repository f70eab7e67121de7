// The highest load that a server bears: every try is a run in a process of its own.
#ifndef FIND_H
#define FIND_H

// Prints the figures of the highest load that passed, with the tries. Answers how the program is to end.
int find(void);

#endif
