// The peer of the row `scroll`: a grid of photographs as GTK programs write it, which decodes in threads, as
// many as there are cores, and has a table of textures in memory. It scrolls like ScrollGrid.
//
//   peer_grid LIST WIDTH HEIGHT BYTES
//
// LIST is a file with the path of a photograph in each line; BYTES is the limit of the table.
#include "CScroll.h"
#include "peer_texture.h"

typedef struct {
    char *path;
    GdkTexture *texture;
    gsize bytes;
} Entry;

static int width, height;
static gsize limit, held;
/// The entries of the table from the most recently used to the least, and their links by path.
static GQueue entries = G_QUEUE_INIT;
static GHashTable *links;
/// Items whose loads wait, and how many are running.
static GQueue waiting = G_QUEUE_INIT;
static guint running;
static char **photos;
static GtkApplication *application;

static GdkTexture *find(const char *path) {
    GList *link = g_hash_table_lookup(links, path);
    if (!link) return NULL;
    g_queue_unlink(&entries, link);
    g_queue_push_head_link(&entries, link);
    return ((Entry *)link->data)->texture;
}

static void store(const char *path, GdkTexture *texture) {
    if (find(path)) return;
    Entry *entry = g_new(Entry, 1);
    *entry = (Entry){g_strdup(path), g_object_ref(texture), 0};
    entry->bytes = (gsize)gdk_texture_get_width(texture) * gdk_texture_get_height(texture) * 3;
    held += entry->bytes;
    g_queue_push_head(&entries, entry);
    g_hash_table_insert(links, entry->path, entries.head);
    while (held > limit) {
        Entry *oldest = g_queue_pop_tail(&entries);
        g_hash_table_remove(links, oldest->path);
        held -= oldest->bytes;
        g_object_unref(oldest->texture);
        g_free(oldest->path);
        g_free(oldest);
    }
}

static const char *path_of(GtkListItem *item) {
    GtkStringObject *string = gtk_list_item_get_item(item);
    return string ? gtk_string_object_get_string(string) : NULL;
}

static void decode(GTask *task, gpointer source, gpointer path, GCancellable *cancellable) {
    GError *error = NULL;
    GdkTexture *texture = load_texture(path, width, height, &error);
    if (!texture) g_error("%s: %s", (char *)path, error->message);
    g_task_return_pointer(task, texture, g_object_unref);
}

static void start_loads(void);

static void decoded(GObject *item, GAsyncResult *result, gpointer data) {
    const char *path = g_task_get_task_data(G_TASK(result));
    GdkTexture *texture = g_task_propagate_pointer(G_TASK(result), NULL);
    store(path, texture);
    // The item may have another photograph by now.
    if (g_strcmp0(path_of(GTK_LIST_ITEM(item)), path) == 0) {
        GtkWidget *view = gtk_list_item_get_child(GTK_LIST_ITEM(item));
        gtk_picture_set_paintable(GTK_PICTURE(view), GDK_PAINTABLE(texture));
    }
    g_object_unref(texture);
    running--;
    start_loads();
}

static void start_loads(void) {
    while (running < g_get_num_processors() && !g_queue_is_empty(&waiting)) {
        GtkListItem *item = g_queue_pop_head(&waiting);
        GTask *task = g_task_new(item, NULL, decoded, NULL);
        g_task_set_task_data(task, g_strdup(path_of(item)), g_free);
        g_task_run_in_thread(task, decode);
        g_object_unref(task);
        running++;
    }
}

static void set_up(GtkListItemFactory *factory, GtkListItem *item, gpointer data) {
    GtkWidget *view = gtk_picture_new();
    gtk_widget_set_size_request(view, width, height);
    gtk_list_item_set_child(item, view);
}

static void bind(GtkListItemFactory *factory, GtkListItem *item, gpointer data) {
    GdkTexture *texture = find(path_of(item));
    gtk_picture_set_paintable(GTK_PICTURE(gtk_list_item_get_child(item)), GDK_PAINTABLE(texture));
    if (texture) return;
    g_queue_push_tail(&waiting, item);
    start_loads();
}

static void unbind(GtkListItemFactory *factory, GtkListItem *item, gpointer data) {
    g_queue_remove(&waiting, item);
    gtk_picture_set_paintable(GTK_PICTURE(gtk_list_item_get_child(item)), NULL);
}

static bool has_image(void *cell, void *data) { return gtk_picture_get_paintable(cell) != NULL; }

static void ended(void *data) {
    kf_scroll_report();
    g_application_quit(G_APPLICATION(application));
}

static void activate(GtkApplication *app, gpointer data) {
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(set_up), NULL);
    g_signal_connect(factory, "bind", G_CALLBACK(bind), NULL);
    g_signal_connect(factory, "unbind", G_CALLBACK(unbind), NULL);
    GListModel *model = G_LIST_MODEL(gtk_string_list_new((const char *const *)photos));
    GtkWidget *grid = gtk_grid_view_new(GTK_SELECTION_MODEL(gtk_no_selection_new(model)), factory);
    gtk_grid_view_set_max_columns(GTK_GRID_VIEW(grid), 12);
    GtkWidget *scroller = gtk_scrolled_window_new();
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), grid);
    GtkWidget *window = gtk_application_window_new(app);
    gtk_window_set_title(GTK_WINDOW(window), "Scroll");
    gtk_window_set_default_size(GTK_WINDOW(window), 1000, 700);
    gtk_window_set_child(GTK_WINDOW(window), scroller);
    gtk_window_present(GTK_WINDOW(window));
    kf_scroll(scroller, has_image, ended, NULL);
}

int main(int argc, char **argv) {
    char *list;
    if (argc != 5 || !g_file_get_contents(argv[1], &list, NULL, NULL)) {
        g_error("usage: peer_grid LIST WIDTH HEIGHT BYTES");
    }
    photos = g_strsplit(g_strchomp(list), "\n", -1);
    width = atoi(argv[2]);
    height = atoi(argv[3]);
    limit = g_ascii_strtoull(argv[4], NULL, 10);
    links = g_hash_table_new(g_str_hash, g_str_equal);
    application = gtk_application_new(NULL, G_APPLICATION_NON_UNIQUE);
    g_signal_connect(application, "activate", G_CALLBACK(activate), NULL);
    return g_application_run(G_APPLICATION(application), 0, NULL);
}
