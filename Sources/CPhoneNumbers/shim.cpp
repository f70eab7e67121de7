#include "include/CPhoneNumbers.h"

#include <cstring>
#include <string>

#include <phonenumbers/phonenumberutil.h>

using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

bool rooms_phone_number(const char *text, char region[4]) {
    const PhoneNumberUtil &numbers = *PhoneNumberUtil::GetInstance();
    PhoneNumber number;
    // "ZZ" is no country: a number without the code of its country is none.
    if (numbers.Parse(text, "ZZ", &number) != PhoneNumberUtil::NO_PARSING_ERROR) return false;
    if (!numbers.IsValidNumber(number)) return false;
    std::string form;
    numbers.Format(number, PhoneNumberUtil::E164, &form);
    // Blanks and brackets are refused, not removed.
    if (form != text) return false;
    std::string code;
    numbers.GetRegionCodeForNumber(number, &code);
    std::strncpy(region, code.c_str(), 3);
    region[3] = 0;
    return true;
}
