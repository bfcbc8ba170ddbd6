// The peer of the rows of first pixels: loads an image into a GtkPicture as GTK programs do, with GdkPixbuf
// in a thread. It measures like FirstPixels and has its protocol.
//
//   pixbuf_view memory|disk|network FILE_OR_URL
#include <gtk/gtk.h>
#include <libsoup/soup.h>
#include <time.h>

enum { SIDE = 300, PAUSE = 50 };

static const char *origin, *place;
static GtkApplication *application;
static GtkWidget *window, *view;
static SoupSession *session;
// The images in memory, by file.
static GHashTable *textures;
static int number;
static gboolean is_preparing, is_loading;
static long long started[2];

static void fail(const char *text) {
    fprintf(stderr, "pixbuf_view: %s\n", text);
    exit(1);
}

static long long now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static GdkTexture *texture_of(GdkPixbuf *pixbuf, GError *error) {
    if (!pixbuf) fail(error->message);
    GdkTexture *texture = gdk_texture_new_for_pixbuf(pixbuf);
    g_object_unref(pixbuf);
    return texture;
}

// Decodes a file, or the bytes of a download, in a thread of GLib's pool.
static void decode(GTask *task, gpointer source, gpointer data, GCancellable *cancellable) {
    GError *error = NULL;
    GdkPixbuf *pixbuf;
    if (data) {
        GInputStream *stream = g_memory_input_stream_new_from_bytes(data);
        pixbuf = gdk_pixbuf_new_from_stream_at_scale(stream, SIDE, SIDE, TRUE, NULL, &error);
        g_object_unref(stream);
    } else {
        pixbuf = gdk_pixbuf_new_from_file_at_scale(place, SIDE, SIDE, TRUE, &error);
    }
    g_task_return_pointer(task, texture_of(pixbuf, error), g_object_unref);
}

static void decoded(GObject *source, GAsyncResult *result, gpointer data) {
    GdkTexture *texture = g_task_propagate_pointer(G_TASK(result), NULL);
    gtk_picture_set_paintable(GTK_PICTURE(view), GDK_PAINTABLE(texture));
    g_object_unref(texture);
}

static void decode_in_thread(GBytes *bytes) {
    GTask *task = g_task_new(NULL, NULL, decoded, NULL);
    if (bytes) g_task_set_task_data(task, bytes, (GDestroyNotify)g_bytes_unref);
    g_task_run_in_thread(task, decode);
    g_object_unref(task);
}

static void received(GObject *source, GAsyncResult *result, gpointer data) {
    GError *error = NULL;
    GBytes *bytes = soup_session_send_and_read_finish(session, result, &error);
    if (!bytes) fail(error->message);
    decode_in_thread(bytes);
}

static void load(void) {
    if (g_str_equal(origin, "memory")) {
        gtk_picture_set_paintable(GTK_PICTURE(view), g_hash_table_lookup(textures, place));
    } else if (g_str_equal(origin, "disk")) {
        decode_in_thread(NULL);
    } else {
        char *url = g_strdup_printf("%s%d.jpg", place, number++);
        SoupMessage *message = soup_message_new("GET", url);
        soup_session_send_and_read_async(session, message, G_PRIORITY_DEFAULT, NULL, received, NULL);
        g_object_unref(message);
        g_free(url);
    }
}

// Whether the last frame had an opaque pixel in the middle: a GtkPicture without an image paints nothing.
static gboolean shows_image(void) {
    GtkWidget *parent = gtk_widget_get_parent(view);
    GskRenderer *renderer = gtk_native_get_renderer(gtk_widget_get_native(view));
    GtkSnapshot *snapshot = gtk_snapshot_new();
    gtk_widget_snapshot_child(parent, view, snapshot);
    GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
    graphene_rect_t frame;
    if (!node || !gtk_widget_compute_bounds(view, parent, &frame)) return FALSE;
    frame = GRAPHENE_RECT_INIT(
        frame.origin.x + frame.size.width / 2, frame.origin.y + frame.size.height / 2, 1, 1);
    GdkTexture *texture = gsk_renderer_render_texture(renderer, node, &frame);
    guint32 pixel = 0;
    gdk_texture_download(texture, (guchar *)&pixel, sizeof pixel);
    g_object_unref(texture);
    gsk_render_node_unref(node);
    return pixel >> 24 == 0xff;
}

static gboolean begin(gpointer data) {
    if (shows_image()) fail("the view shows an image before the load");
    is_loading = TRUE;
    started[0] = now(CLOCK_MONOTONIC);
    started[1] = now(CLOCK_PROCESS_CPUTIME_ID);
    load();
    return G_SOURCE_REMOVE;
}

static void painted(GdkFrameClock *clock, gpointer data) {
    if (is_preparing) {
        is_preparing = FALSE;
        // Without a frame in progress or soon after the last one, which would delay the measured frame.
        g_timeout_add(PAUSE, begin, NULL);
    } else if (is_loading) {
        long long wall = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
        if (!shows_image()) return;
        is_loading = FALSE;
        printf("%lld %lld\n", wall - started[0], processor - started[1]);
        fflush(stdout);
    }
}

static gboolean command(GIOChannel *channel, GIOCondition condition, gpointer data) {
    char *line = NULL;
    if (g_io_channel_read_line(channel, &line, NULL, NULL, NULL) != G_IO_STATUS_NORMAL) {
        g_application_quit(G_APPLICATION(application));
        return G_SOURCE_REMOVE;
    }
    if (!g_str_equal(line, "clocks\n")) fail("unknown command");
    g_free(line);
    view = gtk_picture_new();
    gtk_widget_set_size_request(view, SIDE, SIDE);
    gtk_window_set_child(GTK_WINDOW(window), view);
    is_preparing = TRUE;
    gtk_widget_queue_draw(view);
    return G_SOURCE_CONTINUE;
}

static void activate(GtkApplication *app, gpointer data) {
    window = gtk_application_window_new(app);
    view = gtk_picture_new();
    gtk_window_set_title(GTK_WINDOW(window), "First Pixels");
    gtk_window_set_default_size(GTK_WINDOW(window), SIDE, SIDE);
    gtk_window_set_resizable(GTK_WINDOW(window), FALSE);
    gtk_window_set_child(GTK_WINDOW(window), view);
    gtk_window_present(GTK_WINDOW(window));
    g_signal_connect(gtk_widget_get_frame_clock(window), "after-paint", G_CALLBACK(painted), NULL);
    g_io_add_watch(g_io_channel_unix_new(0), G_IO_IN | G_IO_HUP, command, NULL);
}

int main(int argc, char **argv) {
    // The last argument is for the other program.
    if (argc != 4) fail("usage: pixbuf_view memory|disk|network FILE_OR_URL CACHE_FOLDER");
    origin = argv[1];
    place = argv[2];
    session = soup_session_new();
    textures = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_object_unref);
    if (g_str_equal(origin, "memory")) {
        GError *error = NULL;
        GdkPixbuf *pixbuf = gdk_pixbuf_new_from_file_at_scale(place, SIDE, SIDE, TRUE, &error);
        g_hash_table_insert(textures, argv[2], texture_of(pixbuf, error));
    }
    application = gtk_application_new(NULL, G_APPLICATION_NON_UNIQUE);
    g_signal_connect(application, "activate", G_CALLBACK(activate), NULL);
    return g_application_run(G_APPLICATION(application), 0, NULL);
}
