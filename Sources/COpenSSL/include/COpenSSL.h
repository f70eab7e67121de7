#ifndef ROOMS_C_OPENSSL_H
#define ROOMS_C_OPENSSL_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>

#endif
