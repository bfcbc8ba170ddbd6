#pragma once
#if !__has_include(<openssl/evp.h>)
#error "<openssl/evp.h> is missing: run `make setup` (it installs libssl-dev)"
#endif
#include <openssl/evp.h>
