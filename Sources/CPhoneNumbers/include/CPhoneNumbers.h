#ifndef ROOMS_C_PHONE_NUMBERS_H
#define ROOMS_C_PHONE_NUMBERS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether a text is a telephone number that some country gives out, in the form of E.164: "+", country, number. `region`
// gets the two letters of the country, or "001" for a number of no country.
bool rooms_phone_number(const char *text, char region[4]);

#ifdef __cplusplus
}
#endif

#endif
