// One run: everybody comes, does what the scenario says, and stops; then what came of it is held against the promises.
#ifndef RUN_H
#define RUN_H

#include "figures.h"

#include <stdbool.h>

// Answers how the program is to end.
int run(struct figures *figures);
// Of a try of `--find`: it was late already, so that nobody waited for the last positions.
bool run_has_failed(void);
// Everybody only joins.
int run_of_joins(void);

#endif
