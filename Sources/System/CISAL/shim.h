#pragma once
#if !__has_include(<isa-l/igzip_lib.h>)
#error "<isa-l/igzip_lib.h> is missing: run `make setup` (it installs libisal-dev)"
#endif
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

// The working memory of level 1 for blocks of 32,768 symbols; Swift cannot import the macro.
static const uint32_t kf_isal_level1_bytes = ISAL_DEF_LVL1_MEDIUM;
