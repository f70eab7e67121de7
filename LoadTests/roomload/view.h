// Members of one large room who each see a part of it. Everybody has a place in a square of columns and rows, and sees the
// places around. A touch's x is the place's column and the time within it, its y the row and who sent it.
#ifndef VIEW_H
#define VIEW_H

#include "member.h"

// The length of a place: a run is shorter, in microseconds.
enum { VIEW_BITS = 27 };

// What is added to a touch's x and y by a member's place.
uint64_t view_column(const struct member *member);
uint64_t view_row(const struct member *member);
// Whether a member sees another one; without views always.
bool view_has(const struct member *member, const struct member *other);
// How many others of the room see a member, which are as many as it sees.
uint32_t view_count(const struct member *member);
// The touch at a place.
struct touch view_touch(struct tick_place place);
// Writes the event that says what the member sees.
size_t view_text(const struct member *member, char *text, size_t room);

#endif
