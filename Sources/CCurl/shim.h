#pragma once
#if !__has_include(<curl/curl.h>)
#error "<curl/curl.h> is missing: run `make setup` (it installs libcurl4-openssl-dev)"
#endif
#include <curl/curl.h>
