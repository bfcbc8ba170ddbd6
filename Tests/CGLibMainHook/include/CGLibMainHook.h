#pragma once
#include <stdbool.h>

/* Whether the hook drains the main queue by now; linking the target is all that installs it. */
bool cglib_main_hook_is_draining(void);

/* Whether the caller runs on the thread that the process began with. */
bool cglib_main_hook_is_main_thread(void);
