#include "CCurl.h"

#include <netinet/in.h>

CURLcode rooms_curl_set_number(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode rooms_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode rooms_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode rooms_curl_set_body(CURL *easy, const void *bytes, size_t count) {
    // The size comes first: without it libcurl copies up to a zero byte.
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    if (code != CURLE_OK) return code;
    return curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, count == 0 ? "" : bytes);
}

CURLcode rooms_curl_set_file(CURL *easy, FILE *file, size_t count) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)count);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_READDATA, file) : code;
}

CURLcode rooms_curl_set_callbacks(CURL *easy, struct rooms_curl_callbacks callbacks, void *owner) {
    CURLcode codes[] = {
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callbacks.head),
        curl_easy_setopt(easy, CURLOPT_HEADERDATA, owner),
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callbacks.body),
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, owner),
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callbacks.open_socket),
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, owner),
        curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, callbacks.set_trust),
        curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, owner),
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] != CURLE_OK) return codes[i];
    return CURLE_OK;
}

bool rooms_curl_has_ended(CURLM *multi, CURLcode *code) {
    int left = 0;
    CURLMsg *message = curl_multi_info_read(multi, &left);
    if (!message || message->msg != CURLMSG_DONE) return false;
    *code = message->data.result;
    return true;
}

long rooms_curl_status(CURL *easy) {
    long number = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &number);
    return number;
}

int rooms_curl_system_error(CURL *easy) {
    long number = 0;
    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
    return (int)number;
}

bool rooms_curl_is_loopback(const struct curl_sockaddr *address) {
    const struct sockaddr *any = &address->addr;
    switch (address->family) {
    case AF_INET: return ntohl(((const struct sockaddr_in *)any)->sin_addr.s_addr) >> 24 == 127;
    case AF_INET6: return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)any)->sin6_addr);
    default: return false;
    }
}
