// What the server promises, counted where it is broken.
#ifndef PROOF_H
#define PROOF_H

#include "member.h"

#include <stdbool.h>
#include <stdint.h>

struct proof {
    // A position older than one that was seen; of another room or sender than it says; one that cannot be read.
    uint64_t older, foreign, malformed;
    // Element events out of their writer's order, or missing; rooms whose members do not agree on the order of all.
    uint64_t disorder, missing_elements, disagreeing;
    // Movers whose last position did not come; ends that came before it, or not at all.
    uint64_t missing_finals, early_ends, missing_ends;
    // Connections that were closed by the server, that broke, and requests that were refused; who came back in time and was
    // not known.
    uint64_t closed, lost, refused, forgotten;
};

extern struct proof proof;

// Counts and tells it, of each kind the first few only.
void proof_broken(uint64_t *kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

uint64_t proof_broken_count(void);

// Who comes back to a server that tells no state of a room cannot know what it missed.
bool proof_excuses(const struct member *member);

// Whether everything that was sent has come.
bool proof_is_complete(void);

// What a load test of another server goes by, which promises nothing: what did not come.
uint64_t proof_lost_count(void);

// Counts what has not come.
void proof_conclude(void);

#endif
