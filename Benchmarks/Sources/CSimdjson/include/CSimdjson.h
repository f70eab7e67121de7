#pragma once
// The few calls of simdjson that the comparison needs, for Swift.

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct simdjson_parser simdjson_parser;

/// The bytes that simdjson wants to be readable after the text.
extern const size_t simdjson_padding;

/// How simdjson gets the padding it wants: the text already has it, or is copied to where there is some.
typedef enum { SIMDJSON_PADDED, SIMDJSON_COPY } simdjson_padding_mode;

simdjson_parser *simdjson_parser_new(const char *const *keys, size_t key_count);
void simdjson_parser_free(simdjson_parser *parser);

/// The instruction sets that the two parsers use.
const char *simdjson_ondemand_implementation(void);
const char *simdjson_dom_implementation(void);

/// Reads the members with the parser's keys from an object: numbers as doubles, strings as text. Gives the sum of the
/// numbers and of the lengths of the strings, so that nothing is optimised away; negative if the text is refused.
double simdjson_ondemand_object(simdjson_parser *parser, const char *text, size_t length, simdjson_padding_mode mode);
double simdjson_dom_object(simdjson_parser *parser, const char *text, size_t length, simdjson_padding_mode mode);

/// The same for every object in an array.
double simdjson_ondemand_array(simdjson_parser *parser, const char *text, size_t length, simdjson_padding_mode mode);
double simdjson_dom_array(simdjson_parser *parser, const char *text, size_t length, simdjson_padding_mode mode);

/// Only parses into the tree: what a check of the whole text costs.
bool simdjson_dom_validate(simdjson_parser *parser, const char *text, size_t length, simdjson_padding_mode mode);

#ifdef __cplusplus
}
#endif
