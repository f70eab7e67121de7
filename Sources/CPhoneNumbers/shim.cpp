#include "include/CPhoneNumbers.h"

#include <cstring>
#include <set>
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
    // Texts to others are lost, or dear.
    switch (numbers.GetNumberType(number)) {
        case PhoneNumberUtil::MOBILE:
        case PhoneNumberUtil::FIXED_LINE_OR_MOBILE:
        case PhoneNumberUtil::VOIP:
        case PhoneNumberUtil::PERSONAL_NUMBER: break;
        default: return false;
    }
    std::string code;
    numbers.GetRegionCodeForNumber(number, &code);
    std::strncpy(region, code.c_str(), 3);
    region[3] = 0;
    return true;
}

bool rooms_phone_region(const char *region) {
    std::set<std::string> regions;
    PhoneNumberUtil::GetInstance()->GetSupportedRegions(&regions);
    return regions.count(region) > 0;
}
