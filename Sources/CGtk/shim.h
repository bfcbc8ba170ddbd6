#pragma once
#if !__has_include(<gtk/gtk.h>)
#error "<gtk/gtk.h> is missing: run `make setup` (it installs libgtk-4-dev)"
#endif
#include <gtk/gtk.h>
