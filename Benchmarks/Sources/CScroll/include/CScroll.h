#pragma once
#include <stdbool.h>

// Scrolls a grid to its end and measures; both programs of the row `scroll` do it. Widgets are untyped here,
// because Swift finds the types of GTK several times if more than one module includes its header.

/// Begins when the grid in a GtkScrolledWindow is shown. Each page takes 14 frames; the next one begins when
/// all visible cells have images.
///
/// `has_image` is asked for the widget of a cell, and `end` is called once, both on the main thread.
void kf_scroll(
    void *scroller, bool (*has_image)(void *cell, void *data), void (*end)(void *data), void *data);

/// Prints a line with integers: nanoseconds of wall time until the last image was shown, nanoseconds of CPU
/// time of the process until now, the number of frames, how many of them took the main thread more than 16 ms
/// of CPU time, and the nanoseconds of the longest one.
void kf_scroll_report(void);
