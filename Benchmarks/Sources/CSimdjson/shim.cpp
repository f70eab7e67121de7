#include "CSimdjson.h"

#include <simdjson.h>

#include <cstring>
#include <string>
#include <vector>

using namespace simdjson;

extern "C" const size_t simdjson_padding = SIMDJSON_PADDING;

struct simdjson_parser {
    std::vector<std::string> keys;
    ondemand::parser ondemand;
    dom::parser dom;
    std::vector<char> copy;

    // The text with its padding, copied once into a buffer that is kept if it has none.
    padded_string_view padded(const char *text, size_t length, simdjson_padding_mode mode) {
        if (mode == SIMDJSON_PADDED) return padded_string_view(text, length, length + SIMDJSON_PADDING);
        if (copy.size() < length + SIMDJSON_PADDING) copy.resize(length + SIMDJSON_PADDING);
        std::memcpy(copy.data(), text, length);
        return padded_string_view(copy.data(), length, copy.size());
    }

    bool knows(std::string_view key) const {
        for (const auto &known : keys) {
            if (key == known) return true;
        }
        return false;
    }
};

namespace {

double read(ondemand::value value) {
    switch (value.type()) {
    case ondemand::json_type::number: return value.get_double();
    case ondemand::json_type::string: return double(value.get_string().value().size());
    default: return 0;
    }
}

double read(dom::element value) {
    switch (value.type()) {
    case dom::element_type::DOUBLE: return value.get_double();
    case dom::element_type::INT64: return double(int64_t(value.get_int64()));
    case dom::element_type::STRING: return double(value.get_string_length().value());
    default: return 0;
    }
}

// In one pass in the order of the text, as its authors advise. What is not asked for is skipped, not checked.
double sum(const simdjson_parser &parser, ondemand::object object) {
    double sum = 0;
    for (auto field : object) {
        std::string_view key = field.unescaped_key();
        if (parser.knows(key)) sum += read(field.value());
    }
    return sum;
}

double sum(const simdjson_parser &parser, dom::object object) {
    double sum = 0;
    for (auto field : object) {
        if (parser.knows(field.key)) sum += read(field.value);
    }
    return sum;
}

} // namespace

simdjson_parser *simdjson_parser_new(const char *const *keys, size_t key_count) {
    auto *parser = new simdjson_parser;
    parser->keys.assign(keys, keys + key_count);
    return parser;
}

void simdjson_parser_free(simdjson_parser *parser) { delete parser; }

const char *simdjson_ondemand_implementation(void) {
    return SIMDJSON_STRINGIFY(SIMDJSON_BUILTIN_IMPLEMENTATION);
}

const char *simdjson_dom_implementation(void) {
    // The first parse decides.
    dom::parser parser;
    (void)parser.parse("[]", 2).error();
    static const std::string name(get_active_implementation()->name());
    return name.c_str();
}

double simdjson_ondemand_object(simdjson_parser *parser, const char *text, size_t length, simdjson_padding_mode mode) {
    try {
        ondemand::document document = parser->ondemand.iterate(parser->padded(text, length, mode));
        return sum(*parser, document.get_object());
    } catch (const simdjson_error &) {
        return -1;
    }
}

double simdjson_ondemand_array(simdjson_parser *parser, const char *text, size_t length, simdjson_padding_mode mode) {
    try {
        ondemand::document document = parser->ondemand.iterate(parser->padded(text, length, mode));
        double total = 0;
        for (auto item : document.get_array()) total += sum(*parser, item.get_object());
        return total;
    } catch (const simdjson_error &) {
        return -1;
    }
}

double simdjson_dom_object(simdjson_parser *parser, const char *text, size_t length, simdjson_padding_mode mode) {
    try {
        auto padded = parser->padded(text, length, mode);
        dom::element document = parser->dom.parse(padded.data(), padded.length(), false);
        return sum(*parser, dom::object(document));
    } catch (const simdjson_error &) {
        return -1;
    }
}

double simdjson_dom_array(simdjson_parser *parser, const char *text, size_t length, simdjson_padding_mode mode) {
    try {
        auto padded = parser->padded(text, length, mode);
        dom::element document = parser->dom.parse(padded.data(), padded.length(), false);
        double total = 0;
        for (dom::element item : dom::array(document)) total += sum(*parser, dom::object(item));
        return total;
    } catch (const simdjson_error &) {
        return -1;
    }
}

bool simdjson_dom_validate(simdjson_parser *parser, const char *text, size_t length, simdjson_padding_mode mode) {
    auto padded = parser->padded(text, length, mode);
    return parser->dom.parse(padded.data(), padded.length(), false).error() == SUCCESS;
}
