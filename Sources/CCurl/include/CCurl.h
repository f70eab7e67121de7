#ifndef ROOMS_C_CURL_H
#define ROOMS_C_CURL_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// `curl_easy_setopt` and `curl_easy_getinfo` take arguments of any type, which Swift cannot pass.

CURLcode rooms_curl_set_number(CURL *easy, CURLoption option, long value);

// libcurl copies the text.
CURLcode rooms_curl_set_text(CURL *easy, CURLoption option, const char *value);

CURLcode rooms_curl_set_pointer(CURL *easy, CURLoption option, void *value);

// Makes the next request one with these bytes, which libcurl copies.
CURLcode rooms_curl_set_body(CURL *easy, const void *bytes, size_t count);

// Makes the next request one with the rest of this file, which is read until the request has ended.
CURLcode rooms_curl_set_file(CURL *easy, FILE *file, size_t count);

// What libcurl calls while it works on a request. All of them are given `owner`.
struct rooms_curl_callbacks {
    curl_write_callback head;
    curl_write_callback body;
    curl_opensocket_callback open_socket;
    curl_ssl_ctx_callback set_trust;
};

CURLcode rooms_curl_set_callbacks(CURL *easy, struct rooms_curl_callbacks callbacks, void *owner);

// Whether the one request of `multi` has ended, and how.
bool rooms_curl_has_ended(CURLM *multi, CURLcode *code);

// The last status that the server answered; zero when there is none.
long rooms_curl_status(CURL *easy);

// The `errno` of the last connection that could not be made; zero when there is none.
int rooms_curl_system_error(CURL *easy);

// Whether what is sent to an address cannot leave this machine.
bool rooms_curl_is_loopback(const struct curl_sockaddr *address);

#endif
