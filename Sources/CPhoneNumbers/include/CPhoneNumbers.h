#ifndef ROOMS_C_PHONE_NUMBERS_H
#define ROOMS_C_PHONE_NUMBERS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether a text is a telephone number that some country gives out and that texts may reach, in the form of E.164: "+",
// country, number. `region` gets the two letters of the country.
bool rooms_phone_number(const char *text, char region[4]);

// Whether two letters are a country with telephone numbers.
bool rooms_phone_region(const char *region);

#ifdef __cplusplus
}
#endif

#endif
