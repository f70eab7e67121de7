// Times in microseconds, each kept to one part in 64, whatever its size.
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_PARTS = 64, HISTOGRAM_BUCKETS = 28 * HISTOGRAM_PARTS };

struct histogram {
    uint64_t count;
    uint32_t max;
    uint64_t buckets[HISTOGRAM_BUCKETS];
};

// Below 128 a bucket is a value; from there on 64 buckets share each power of two.
static inline unsigned histogram_shift(uint32_t value) {
    unsigned top = 31 - (unsigned)__builtin_clz(value | 64);
    return top - 6;
}

static inline void histogram_add(struct histogram *histogram, uint32_t value) {
    unsigned shift = histogram_shift(value);
    histogram->buckets[shift * HISTOGRAM_PARTS + (value >> shift)]++;
    histogram->count++;
    if (value > histogram->max) histogram->max = value;
}

// The greatest value of the bucket in which so large a part of all lies.
static inline uint32_t histogram_percentile(const struct histogram *histogram, double part) {
    uint64_t wanted = (uint64_t)((double)histogram->count * part), passed = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        passed += histogram->buckets[i];
        if (!histogram->buckets[i] || passed < wanted) continue;
        unsigned shift = i < 2 * HISTOGRAM_PARTS ? 0 : i / HISTOGRAM_PARTS - 1;
        uint64_t end = ((uint64_t)(i - shift * HISTOGRAM_PARTS) + 1) << shift;
        return end - 1 < histogram->max ? (uint32_t)(end - 1) : histogram->max;
    }
    return 0;
}

#endif
