public import CGtk
public import Foundation
public import Kingfisher

/// A dialog of the desktop in which the user selects image files, or a folder.
///
///     let chooser = ImageFileChooser(title: "Open image")
///     if let file = await chooser.open() {
///         view.kf.setImage(with: file)
///     }
///
/// In a sandbox (Flatpak, Snap), or with `GDK_DEBUG=portals` in the environment, the desktop's portal shows
/// the dialog, and the program may read only the files that the user has selected; otherwise GTK shows it.
/// The program must run GLib's main loop (``Application``, ``GLibMainLoop``).
///
/// GTK 4.8 cannot close a dialog of the portal: it sends the call to a wrong interface. If the task is
/// cancelled, such a dialog stays open until the user closes it, and its result is ignored.
@MainActor public struct ImageFileChooser {
    /// The title of the dialog.
    public var title: String
    /// The text of the button that accepts the selection; nil for the text of GTK.
    public var acceptLabel: String?
    /// The name of the filter that hides other files.
    public var filterName = "Images"
    /// The formats that the dialog shows; by default those with a registered codec.
    public var formats = ImageCodecs.formats
    /// The folder that the dialog shows first; nil lets the desktop select it.
    public var folder: URL?

    /// Creates a dialog, which is shown by ``open(from:)``, ``openMultiple(from:)`` or ``openFolder(from:)``.
    public init(title: String) {
        self.title = title
    }

    /// Shows the dialog over `window`, and returns the file that the user has selected.
    ///
    /// Returns nil if the user cancels the dialog. Cancelling the task closes the dialog and also returns
    /// nil.
    public func open(from window: UnsafeMutablePointer<GtkWindow>? = nil) async -> URL? {
        await OpenDialog(self, over: window).run().first
    }

    /// Shows the dialog over `window`, and returns the files that the user has selected, in no particular
    /// order.
    ///
    /// Returns an empty array if the user cancels the dialog. Cancelling the task closes the dialog and also
    /// returns an empty array.
    public func openMultiple(from window: UnsafeMutablePointer<GtkWindow>? = nil) async -> [URL] {
        await OpenDialog(self, over: window, selectsMultiple: true).run()
    }

    /// Shows the dialog over `window`, and returns the folder that the user has selected. The filter of
    /// formats does not apply.
    ///
    /// Returns nil if the user cancels the dialog. Cancelling the task closes the dialog and also returns
    /// nil.
    public func openFolder(from window: UnsafeMutablePointer<GtkWindow>? = nil) async -> URL? {
        await OpenDialog(self, over: window, selectsFolder: true).run().first
    }

    /// The media types of `formats`, without duplicates.
    var mediaTypes: [String] {
        var seen: Set<String> = []
        return formats.compactMap { ImageCodecs.codec(for: $0)?.mediaType }.filter {
            seen.insert($0).inserted
        }
    }
}

/// One GtkFileChooserNative, from its appearance to its end.
@MainActor private final class OpenDialog {
    /// Owns the dialog; nil after its release.
    private var connection: SignalConnection?
    private let dialog: UnsafeMutablePointer<GtkNativeDialog>
    private var completion: CheckedContinuation<[URL], Never>?

    init(
        _ settings: ImageFileChooser, over window: UnsafeMutablePointer<GtkWindow>?,
        selectsMultiple: Bool = false, selectsFolder: Bool = false
    ) {
        let action = selectsFolder ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER : GTK_FILE_CHOOSER_ACTION_OPEN
        let chooser = gtk_file_chooser_native_new(
            settings.title, window, action, settings.acceptLabel, nil)!
        let object = UnsafeMutableRawPointer(chooser)
        dialog = object.assumingMemoryBound(to: GtkNativeDialog.self)
        let connection = SignalConnection(adopting: object)
        self.connection = connection
        gtk_native_dialog_set_modal(dialog, 1)
        gtk_file_chooser_set_select_multiple(chooser, selectsMultiple ? 1 : 0)
        if !selectsFolder {
            let filter = gtk_file_filter_new()
            gtk_file_filter_set_name(filter, settings.filterName)
            for type in settings.mediaTypes { gtk_file_filter_add_mime_type(filter, type) }
            gtk_file_chooser_add_filter(chooser, filter)
            g_object_unref(UnsafeMutableRawPointer(filter))
        }
        if let folder = settings.folder {
            let file = g_file_new_for_uri(folder.absoluteString)
            gtk_file_chooser_set_current_folder(chooser, file, nil)
            g_object_unref(UnsafeMutableRawPointer(file))
        }
        connection.connect(
            "response", to: unsafeBitCast(responded, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque())
    }

    isolated deinit {}

    func run() async -> [URL] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: []) }
                completion = continuation
                gtk_native_dialog_show(dialog)
            }
        } onCancel: {
            Task { @MainActor in end(with: []) }
        }
    }

    fileprivate func respond(_ response: Int32) {
        end(with: response == GTK_RESPONSE_ACCEPT.rawValue ? selectedFiles : [])
    }

    private func end(with files: [URL]) {
        guard let completion else { return }
        self.completion = nil
        gtk_native_dialog_hide(dialog)
        completion.resume(returning: files)
        Task {
            try? await Task.sleep(for: .milliseconds(100))
            release(after: gtk_file_chooser_get_current_folder(OpaquePointer(dialog)))
        }
    }

    /// Releases the dialog when the names of `folder` and of the folders above it have been read.
    ///
    /// GTK reads them one after another, also if a portal shows the dialog, and does not tell when it has
    /// done so. If the dialog is released before, GTK 4.18 and 4.24 use freed widgets. The same requests,
    /// made later and with a lower priority, end after GTK's.
    fileprivate func release(after folder: OpaquePointer?) {
        guard let folder else { return connection = nil }
        g_file_query_info_async(
            folder, G_FILE_ATTRIBUTE_STANDARD_DISPLAY_NAME, GFileQueryInfoFlags(rawValue: 0), G_PRIORITY_LOW,
            nil, nameRead, Unmanaged.passRetained(self).toOpaque())
        g_object_unref(UnsafeMutableRawPointer(folder))
    }

    private var selectedFiles: [URL] {
        guard let files = gtk_file_chooser_get_files(OpaquePointer(dialog)) else { return [] }
        defer { g_object_unref(UnsafeMutableRawPointer(files)) }
        return (0..<g_list_model_get_n_items(files)).compactMap { index in
            guard let file = g_list_model_get_item(files, index) else { return nil }
            defer { g_object_unref(file) }
            return URL(file: OpaquePointer(file))
        }
    }
}

private let responded: @convention(c) (UnsafeMutableRawPointer?, Int32, gpointer?) -> Void = {
    _, response, data in
    nonisolated(unsafe) let data = data
    MainActor.assumeIsolated {
        Unmanaged<OpenDialog>.fromOpaque(data!).takeUnretainedValue().respond(response)
    }
}

private let nameRead: GAsyncReadyCallback = { folder, _, data in
    nonisolated(unsafe) let (folder, data) = (OpaquePointer(folder), data)
    MainActor.assumeIsolated {
        Unmanaged<OpenDialog>.fromOpaque(data!).takeRetainedValue().release(after: g_file_get_parent(folder))
    }
}

extension URL {
    /// The URL of a GFile: a file URL if the file has a local path, which files on servers may also have.
    init?(file: OpaquePointer) {
        let path = g_file_get_path(file)
        defer { g_free(path) }
        let uri = path.flatMap { g_filename_to_uri($0, nil, nil) } ?? g_file_get_uri(file)
        defer { g_free(uri) }
        guard let uri else { return nil }
        self.init(string: String(cString: uri))
    }
}
