#include "CScroll.h"
#include <gtk/gtk.h>
#include <stdio.h>
#include <time.h>

// At 60 frames a second, a page of 700 points moves by 3,000 points a second.
enum { STEPS = 14, LIMIT = 16000000 };

static GtkWidget *scroller;
static bool (*has_image)(void *cell, void *data);
static void (*end)(void *data);
static void *end_data;

/// Times in nanoseconds: of the start, until the last image, and of the checks, which are not measured.
static long long started, total, checks;
/// CPU time of the main thread at the end of the last frame.
static long long last;
static long long longest;
static int frames, late;
/// The first row of pixels of this page, and the frames in which it has moved.
static double page;
static int step = STEPS;
static bool is_measuring, is_ended;

static long long now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/// Whether all visible cells have images.
static bool is_complete(void) {
    GtkWidget *grid = gtk_scrolled_window_get_child(GTK_SCROLLED_WINDOW(scroller));
    const int height = gtk_widget_get_height(scroller);
    int visible = 0;
    for (GtkWidget *row = gtk_widget_get_first_child(grid); row; row = gtk_widget_get_next_sibling(row)) {
        GtkWidget *cell = gtk_widget_get_first_child(row);
        graphene_rect_t frame;
        // A row that is not laid out yet would have its padding as its frame.
        if (!cell || !gtk_widget_get_mapped(cell)) continue;
        if (!gtk_widget_compute_bounds(row, scroller, &frame)) continue;
        if (frame.origin.y + frame.size.height <= 0 || frame.origin.y >= height) continue;
        if (!has_image(cell, end_data)) return false;
        visible++;
    }
    return visible > 0;
}

static void count_frame(long long time) {
    frames++;
    longest = MAX(longest, time);
    late += time > LIMIT;
}

static void painted(GdkFrameClock *clock, gpointer data) {
    const long long thread = now(CLOCK_THREAD_CPUTIME_ID);
    GtkAdjustment *place = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller));
    const double bottom = gtk_adjustment_get_upper(place) - gtk_adjustment_get_page_size(place);
    if (is_ended) return;
    if (is_measuring) count_frame(thread - last);
    last = thread;
    if (step == STEPS) {
        const bool complete = is_complete();
        const long long check = now(CLOCK_THREAD_CPUTIME_ID) - thread;
        checks += check;
        last += check;
        if (!complete) return;
        is_measuring = true;
        page = gtk_adjustment_get_value(place);
        step = 0;
        if (page >= bottom) {
            total = now(CLOCK_MONOTONIC) - started;
            is_ended = true;
            end(end_data);
            return;
        }
    }
    step++;
    const double moved = page + gtk_adjustment_get_page_size(place) * step / STEPS;
    gtk_adjustment_set_value(place, MIN(moved, bottom));
    // A step beyond the bottom moves nothing, and causes no frame.
    gtk_widget_queue_draw(scroller);
}

void kf_scroll(
    void *window, bool (*shows)(void *cell, void *data), void (*finish)(void *data), void *data) {
    scroller = window;
    has_image = shows;
    end = finish;
    end_data = data;
    started = now(CLOCK_MONOTONIC);
    g_signal_connect(gtk_widget_get_frame_clock(scroller), "after-paint", G_CALLBACK(painted), NULL);
}

void kf_scroll_report(void) {
    printf("%lld %lld %d %d %lld\n", total, now(CLOCK_PROCESS_CPUTIME_ID) - checks, frames, late, longest);
    fflush(stdout);
}
