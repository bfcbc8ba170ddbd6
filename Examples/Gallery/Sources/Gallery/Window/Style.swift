import KingfisherGTK

/// The look of the window, whatever the user's theme: its screenshots are to be compared.
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
        .page { background: #e9ebee; padding: 20px; }
        .title { color: #24282d; font-size: 17px; font-weight: bold; margin-bottom: 14px; }
        .cell { background: #ffffff; border-radius: 10px; padding: 12px; color: #24282d; }
        .cell spinner { color: #24282d; }
        .caption { font-size: 13px; margin-top: 8px; }
        .figures { font-family: monospace; font-size: 12px; color: #59616a; margin-top: 4px; }
        """
}
