import KingfisherGTK

/// Styles beyond libadwaita's own; the named colours follow the light and dark style.
@MainActor enum Style {
    static func install() {
        let provider = gtk_css_provider_new()!
        gtk_css_provider_load_from_data(provider, sheet, -1)
        gtk_style_context_add_provider_for_display(
            gdk_display_get_default(), OpaquePointer(provider),
            guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        g_object_unref(provider)
    }

    private static let sheet = """
        .sidebar-pane { background-color: @headerbar_bg_color; }
        .sidebar-pane list { background: none; }
        .page { padding: 6px 18px 24px; }
        .photo { background-color: alpha(currentColor, 0.07); }
        .photo.rounded { border-radius: 12px; }
        .photo.thumbnail { border-radius: 8px; }
        .tile .photo { border-radius: 12px 12px 0 0; }
        .tile .photo .photo { border-radius: 6px; }
        .tile .words { padding: 10px 8px 10px 14px; }
        .tile .words:dir(rtl) { padding: 10px 14px 10px 8px; }
        .tile .more { margin: -4px 14px 14px; }
        .photos { background: none; padding: 0 18px 18px; }
        .photos > child { padding: 6px; border-radius: 18px; }
        .code { font-family: monospace; font-size: 0.82em; }
        .figure { font-size: 1.7em; font-weight: 800; font-feature-settings: "tnum"; }
        .tile textview, .tile textview text { background: none; }
        .network scale { padding: 6px 0; }
        .stat { padding: 14px 18px; }
        .tag { border-radius: 99px; padding: 2px 10px; font-size: 0.85em; font-weight: bold; }
        .tag.none { background: alpha(currentColor, 0.08); }
        .tag.memory { background: alpha(@accent_bg_color, 0.2); color: @accent_color; }
        .tag.disk { background: alpha(@success_bg_color, 0.22); color: @success_color; }
        """
}
