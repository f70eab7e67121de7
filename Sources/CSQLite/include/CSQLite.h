#ifndef ROOMS_C_SQLITE_H
#define ROOMS_C_SQLITE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

// Binds a copy of the bytes: SQLITE_TRANSIENT is a macro that Swift cannot import.
int rooms_sqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, size_t count);
int rooms_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t count);

// Whether the main file has been moved or deleted since it was opened: what is written then is lost.
bool rooms_sqlite_has_moved(sqlite3 *database);

#endif
