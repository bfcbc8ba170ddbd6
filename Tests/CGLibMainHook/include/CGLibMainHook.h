#pragma once
#include <stdbool.h>

/* Whether the hook drains the main queue already. Linking the target installs the hook. */
bool cglib_main_hook_is_draining(void);

/* Whether the caller runs on the initial thread of the process. */
bool cglib_main_hook_is_main_thread(void);
