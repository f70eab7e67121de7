#ifndef FAULTY_DISK_H
#define FAULTY_DISK_H

// Has SQLite's writes to this process's files whose path begins so fail with an errno, or with 0 succeed again.
void faulty_disk_refuse_writes(const char *path, int error);

// Takes from this thread root's rights to files, if it has them.
void faulty_disk_be_nobody(void);

#endif
