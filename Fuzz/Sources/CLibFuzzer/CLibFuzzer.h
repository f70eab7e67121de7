#ifndef C_LIB_FUZZER_H
#define C_LIB_FUZZER_H

#include <stddef.h>
#include <stdint.h>

// The fuzzer's loop, for programs with a main of their own. It comes with the sanitizer's runtime and has no header.
int LLVMFuzzerRunDriver(
    int *_Nonnull argc, char *_Nullable *_Nonnull *_Nonnull argv,
    int (*_Nonnull testOneInput)(const uint8_t *_Nullable data, size_t size));

#endif
